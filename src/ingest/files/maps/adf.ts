import { isObject, type Members } from '../json.js'

/** Whether a value is a rich text of Jira's REST API v3: the Atlassian Document Format. */
export function isAdf(value: unknown): value is Members {
  return isObject(value) && value['type'] === 'doc' && Array.isArray(value['content'])
}

/** The plain text of a rich text: a blank line between blocks, `- ` before the items of a list. */
export function adfText(document: Members): string {
  const blocks = blocksOf(document, 0).map((lines) => lines.join('\n'))
  return blocks.filter((block) => block.trim() !== '').join('\n\n')
}

/** Nobody nests deeper; a file that does must not exhaust the stack. */
const DEPTH_MAX = 100

function blocksOf(node: Members, depth: number): string[][] {
  return depth > DEPTH_MAX ? [] : childrenOf(node).map((child) => linesOf(child, depth + 1))
}

function linesOf(node: Members, depth: number): string[] {
  const children = childrenOf(node)
  if (node['type'] === 'rule') return ['---']
  if (children.length === 0) return [inlineText(node)].filter(Boolean)
  // A paragraph, a heading, code or a task: what is in it has no content of its own.
  if (!children.some((child) => Array.isArray(child['content']))) return children.map(inlineText).join('').split('\n')
  switch (node['type']) {
    case 'bulletList':
    case 'taskList':
    case 'decisionList':
      return itemsOf(node, depth, () => '- ')
    case 'orderedList':
      return itemsOf(node, depth, (index) => `${Number(attributeOf(node, 'order') ?? 1) + index}. `)
    case 'blockquote':
      return blocksOf(node, depth).flatMap((lines) => lines.map((line) => `> ${line}`))
    case 'table':
      return children.map((row) => Array.from(blocksOf(row, depth), (cell) => cell.join(' ')).join(' | '))
    default:
      // A panel, an expandable part, a list item, a cell, a column of a layout.
      return blocksOf(node, depth).flat()
  }
}

function itemsOf(list: Members, depth: number, marker: (index: number) => string): string[] {
  return blocksOf(list, depth).flatMap((lines, index) => {
    const mark = marker(index)
    return lines.map((line, at) => (at === 0 ? mark : ' '.repeat(mark.length)) + line)
  })
}

function inlineText(node: Members): string {
  switch (node['type']) {
    case 'text':
      return textOf(node['text']) + linkOf(node)
    case 'hardBreak':
      return '\n'
    case 'date':
      return new Date(Number(attributeOf(node, 'timestamp'))).toJSON()?.slice(0, 10) ?? ''
    default: {
      // mention, status, emoji, inlineCard
      const shown = ['text', 'shortName', 'url'].map((name) => textOf(attributeOf(node, name)))
      return shown.find((text) => text !== '') ?? ''
    }
  }
}

/** The address of a link whose text does not show it. */
function linkOf(node: Members): string {
  const marks: unknown[] = Array.isArray(node['marks']) ? node['marks'] : []
  const link = marks.filter(isObject).find((mark) => mark['type'] === 'link')
  const address = link ? textOf(attributeOf(link, 'href')) : ''
  return address === '' || address === node['text'] ? '' : ` (${address})`
}

function childrenOf(node: Members): Members[] {
  const content: unknown = node['content']
  return Array.isArray(content) ? content.filter(isObject) : []
}

function attributeOf(node: Members, name: string): unknown {
  return isObject(node['attrs']) ? node['attrs'][name] : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
