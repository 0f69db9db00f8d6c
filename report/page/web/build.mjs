// node build.mjs PACKAGES OUT: bundles the page into one file. PACKAGES/node_modules holds the packages of
// package-lock.json. The file has a place for the run, which kerr fills.
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const [packages, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const modules = join(resolve(packages), 'node_modules');
const {buildSync} = createRequire(join(modules, 'x.js'))('esbuild');

function bundled(entry) {
  const result = buildSync({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format: 'iife', target: 'es2020',
    charset: 'utf8', legalComments: 'inline', nodePaths: [modules], logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
// In a script "</script" stands in a text only, where it may be written so.
const script = bundled('src/main.js').replace(/<\/script/gi, '<\\/script');
const style = bundled('style/main.css');
const parts = {
  SCRIPT: script,
  STYLE: style,
  LICENCES: escaped(['uplot', 'fzstd'].map((name) => `${name}\n\n${readFileSync(join(modules, name, 'LICENSE'), 'utf8')}`).join('\n')),
  // Nothing but these two runs here, and nothing is fetched.
  POLICY: `default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)}; img-src data:; base-uri 'none'; form-action 'none'`,
};
const page = readFileSync(join(here, 'index.html'), 'utf8').replace(/@@(SCRIPT|STYLE|LICENCES|POLICY)@@/g, (_, name) => parts[name]);
writeFileSync(out, page);
