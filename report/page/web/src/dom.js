// Elements. Texts of a run become text nodes and attributes, never markup.

const SVG = 'http://www.w3.org/2000/svg';

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// h('button', {class: 'chip', onclick: f}, 'text', other element)
export const h = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
export const s = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);
export const byId = (id) => document.getElementById(id);

export function table(caption, heads, rows) {
  return h('table', {}, h('caption', {}, caption),
    h('thead', {}, h('tr', {}, heads.map((head) => h('th', {scope: 'col', class: head.number ? 'number' : null}, head.text ?? head)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, i) =>
      h('td', {class: heads[i]?.number ? 'number' : null}, cell))))));
}

// A colour as the style sheet has it now.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
