// A headless Chromium, driven over a pipe by the DevTools protocol: no port, and nothing that would have to be fetched.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const KEYS = {ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Enter: 13, Tab: 9, Home: 36, End: 35};

export class Browser {
  static async start(executable) {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), 'kerr-page-'));
    browser.process = spawn(executable, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe',
      '--disable-background-networking', `--user-data-dir=${browser.folder}`, 'about:blank'], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true});
    browser.ended = new Promise((resolve) => browser.process.once('exit', resolve));
    browser.next = 1;
    browser.waiting = new Map();
    browser.sessions = new Map();
    let rest = '';
    browser.process.stdio[4].setEncoding('utf8');
    browser.process.stdio[4].on('data', (text) => {
      const parts = (rest + text).split('\0');
      rest = parts.pop();
      for (const part of parts) browser.heard(JSON.parse(part));
    });
    return browser;
  }

  heard(message) {
    if (message.id === undefined) return this.sessions.get(message.sessionId)?.happened(message);
    const {resolve, reject} = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.process.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  // Opens a file and waits until it has been drawn.
  async open(file, {dark = false, width = 1500, height = 1100} = {}) {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const page = new Page(this, sessionId, targetId);
    this.sessions.set(sessionId, page);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Accessibility', 'DOM']) await page.send(`${domain}.enable`);
    await page.send('Performance.enable', {timeDomain: 'threadTicks'});
    await page.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
    await page.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
    const loaded = new Promise((resolve) => { page.onLoad = resolve; });
    await page.send('Page.navigate', {url: pathToFileURL(file).href});
    await loaded;
    await page.frame();
    return page;
  }

  async stop() {
    await this.send('Browser.close').catch(() => {});
    await this.ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
  }
}

class Page {
  constructor(browser, session, target) {
    Object.assign(this, {browser, session, target, errors: [], requests: []});
  }

  send(method, params) { return this.browser.send(method, params, this.session); }

  happened({method, params}) {
    if (method === 'Page.loadEventFired') this.onLoad?.();
    if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) this.errors.push(params.args.map((a) => a.value ?? a.description).join(' '));
    if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) this.errors.push(params.entry.text);
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
  }

  async eval(expression) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  text(selector) { return this.eval(`document.querySelector(${JSON.stringify(selector)}).textContent`); }
  frame() { return this.eval('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))'); }

  async middle(selector) {
    return this.eval(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({block: 'center', behavior: 'instant'});
      const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`);
  }

  async mouse(type, x, y, more = {}) { await this.send('Input.dispatchMouseEvent', {type, x, y, ...more}); }

  async clickAt(x, y) {
    await this.mouse('mouseMoved', x, y);
    for (const type of ['mousePressed', 'mouseReleased']) await this.mouse(type, x, y, {button: 'left', clickCount: 1});
    await this.frame();
  }

  async click(selector) { await this.clickAt(...await this.middle(selector)); }

  async drag(x, y, toX) {
    await this.mouse('mousePressed', x, y, {button: 'left', clickCount: 1});
    for (let i = 1; i <= 5; i++) await this.mouse('mouseMoved', x + (toX - x) * i / 5, y, {button: 'left', buttons: 1});
    await this.mouse('mouseReleased', toX, y, {button: 'left', clickCount: 1});
    await this.frame();
  }

  async key(key) {
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    const code = KEYS[key] ?? key.charCodeAt(0);
    await this.send('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', key, text, windowsVirtualKeyCode: code});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key, windowsVirtualKeyCode: code});
    await this.frame();
  }

  // Sets a select or an input as a person does.
  async set(selector, value) {
    await this.eval(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.value = ${JSON.stringify(value)};
      e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true})); })()`);
    await this.frame();
  }

  async screenshot(file, whole = true) {
    const {data} = await this.send('Page.captureScreenshot', {captureBeyondViewport: whole});
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  // Milliseconds for which the page's thread has worked: on a busy machine less than what has passed.
  async cpu() {
    const {metrics} = await this.send('Performance.getMetrics');
    return 1000 * metrics.find((m) => m.name === 'TaskDuration').value;
  }

  // What a screen reader is told of: role and name of each node.
  async spoken() {
    const {nodes} = await this.send('Accessibility.getFullAXTree');
    return nodes.filter((n) => !n.ignored).map((n) => ({role: n.role?.value ?? '', name: n.name?.value ?? ''}));
  }

  async close() { await this.browser.send('Target.closeTarget', {targetId: this.target}); }
}
