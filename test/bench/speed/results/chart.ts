/** The figures as a bar chart: an SVG for light and dark pages. */
import { CONTESTANTS } from '../contestants.js'
import { figureName } from '../measurements/rounds.js'
import type { Results } from './targets.js'

const WIDTH = 860
const NAME_WIDTH = 320
const VALUE_WIDTH = 80
const BAR_HEIGHT = 14
const STEP = 20
const HEAD_HEIGHT = 34

const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #1f2328 }
    .head { font-weight: 600; font-size: 14px }
    .other { fill: #8c959f } .ours { fill: #1a7f37 } .limit { fill: #d0d7de }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .other { fill: #6e7681 } .ours { fill: #3fb950 } .limit { fill: #30363d }
    }`

export function chartOf({ works, figures }: Results): string {
  const parts: string[] = []
  let top = 0
  for (const { name, title } of works) {
    const bars = CONTESTANTS.flatMap((contestant) => {
      const figure = figures.get(figureName(name, contestant.id))
      return figure ? [{ ...contestant, perSecond: figure.perSecond }] : []
    })
    const most = Math.max(...bars.map(({ perSecond }) => perSecond))
    parts.push(`<text class="head" x="0" y="${top + 22}">${escaped(`${name}: ${title} (requests a second)`)}</text>`)
    top += HEAD_HEIGHT
    for (const bar of bars) {
      parts.push(barOf(bar, top, bar.perSecond / most))
      top += STEP
    }
    top += STEP / 2
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img" aria-label="Requests a second of each contestant in each work">
  <style>${STYLE}
  </style>
  ${parts.join('\n  ')}
</svg>
`
}

function barOf({ id, name, perSecond }: { id: string; name: string; perSecond: number }, top: number, share: number) {
  const kind = id.startsWith('ours') ? 'ours' : id.startsWith('limit') ? 'limit' : 'other'
  const width = Math.max(1, share * (WIDTH - NAME_WIDTH - VALUE_WIDTH))
  const value = perSecond < 100 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString('en')
  const base = top + BAR_HEIGHT - 3
  return [
    `<text x="0" y="${base}">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${NAME_WIDTH}" y="${top}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<text x="${(NAME_WIDTH + width + 6).toFixed(1)}" y="${base}">${value}</text>`,
  ].join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
