// Why the run failed, if it did: the device's own account, its tiles and lines linked.
import {h} from '../dom.js';
import {linked} from './linked.js';

export class VerdictPanel {
  constructor(element, context) {
    const {failure, account} = context.run.json;
    if (!failure && !account) return;
    element.hidden = false;
    element.append(h('h2', {}, linked(failure || 'It did not end as it should', context)), account ? h('pre', {class: 'account'}, linked(account, context)) : '');
  }
}
