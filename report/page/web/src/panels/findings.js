// What the checker found, each finding with ways to its tiles, its lines and its moment.
import {h} from '../dom.js';
import {counted, grouped, leaf} from '../numbers.js';
import {linked} from './linked.js';

export class FindingsPanel {
  constructor(element, context) {
    const {check, remarks} = context.run.json;
    const reports = check?.reports ?? [];
    if (!check && remarks.length === 0) return;
    element.hidden = false;
    element.append(h('h2', {id: 'findings-heading'}, 'Findings'));
    if (check) element.append(h('p', {class: 'quiet'}, reports.length === 0 ? 'The checker has found nothing.' : `${counted(reports.length, 'finding')} of the checker, the worst first.`));
    element.append(...reports.map((report, i) => this.report(report, i, context)));
    if (remarks.length) element.append(h('h3', {}, 'Remarks'), h('ul', {}, remarks.map((remark) => h('li', {}, linked(remark, context)))));
  }

  report(report, i, context) {
    const {run, view} = context, begin = run.json.begin;
    const moment = (cycle) => cycle >= begin && cycle < run.json.end
      ? h('button', {type: 'button', class: 'link', onclick: () => {
        view.look(cycle - begin - 500, cycle - begin + 500);
        document.getElementById('timeline').scrollIntoView({block: 'start'});
      }}, `cycle ${grouped(cycle - begin)}`)
      : `device cycle ${grouped(cycle)}`;
    const access = (a) => {
      const where = a.frames.map((f) => [f.function, f.file ? `${leaf(f.file)}:${f.line}` : ''].filter(Boolean).join('  ')).join(' < ');
      return h('li', {}, `${a.role}: ${a.op} by `, linked(`(${a.tile[0]},${a.tile[1]}) ${a.agent}${a.lane === 'hart' ? '' : `, ${a.lane}`}  ${where}`, context, a.chip),
        a.text ? ['  ', h('code', {}, a.text)] : '', '  ', moment(a.cycle), a.detail.length ? h('ul', {}, a.detail.map((d) => h('li', {}, linked(d, context)))) : '');
    };
    return h('article', {class: `finding ${report.level}`, 'aria-labelledby': `finding-${i}`},
      h('h3', {id: `finding-${i}`}, h('span', {class: 'level'}, report.level), ` ${report.id} ${report.rule}`, report.suppressed ? ' (suppressed)' : report.known ? ' (known)' : ''),
      h('p', {}, linked(report.what, context)),
      h('p', {class: 'quiet'}, `${counted(report.count, 'time')} on `, linked(report.tiles.slice(0, 12).map(([x, y]) => `(${x},${y})`).join(' '), context, report.accesses[0]?.chip), report.tiles.length > 12 ? ` and ${report.tiles.length - 12} more tiles` : ''),
      h('ul', {}, report.accesses.map(access)),
      report.order.length ? h('p', {}, linked(report.order.join(' '), context)) : '',
      report.mend ? h('p', {}, h('b', {}, 'Mend: '), linked(report.mend.text, context)) : '',
      report.outcome_text ? h('p', {class: 'quiet'}, `In this run: ${report.outcome_text}`) : '');
  }
}
