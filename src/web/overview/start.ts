import { el, remark, replace, section } from '../dom.js'
import { T } from '../texts.js'
import type { Overview } from './data.js'

/** For a store without projects: what to do next, in order; the page follows by itself. */
export function startPart() {
  const { root, body } = section('start', T.startHeading)
  function show({ personnel }: Overview): void {
    const people = personnel?.totalCount ?? 0
    const steps = T.steps.map(({ what, command }, index) =>
      el('li', {}, index === 0 && people > 0 ? T.peopleThere(people) : what, el('pre', {}, el('code', {}, command))),
    )
    replace(body, el('p', {}, T.startWhy), el('ol', { class: 'steps' }, ...steps), remark(T.startThen))
  }
  return { root, show }
}
