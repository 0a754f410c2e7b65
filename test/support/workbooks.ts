import { crc32, deflateRawSync } from 'node:zlib'

/** What the directory of a zip says about a part, where it is not the truth. */
interface Lie {
  readonly bytes?: number
  readonly flags?: number
  readonly method?: number
  readonly crc?: number
}

/** A zip of parts, deflated, with lies about some of them. */
export function zipOf(
  parts: readonly (readonly [string, string | Uint8Array])[],
  lies: Record<string, Lie> = {},
): Buffer {
  const local: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of parts) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const lie = lies[name]
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(lie?.flags ?? 0, 2)
    facts.writeUInt16LE(lie?.method ?? 8, 4)
    facts.writeUInt32LE(lie?.crc ?? crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(lie?.bytes ?? bytes.length, 18)
    facts.writeUInt16LE(Buffer.byteLength(name), 22)
    const header = Buffer.concat([number(0x04034b50), facts, Buffer.from(name), packed])
    directory.push(
      Buffer.concat([
        number(0x02014b50),
        Buffer.from([20, 0]),
        facts,
        Buffer.alloc(10),
        number(offset),
        Buffer.from(name),
      ]),
    )
    local.push(header)
    offset += header.length
  }
  const entries = Buffer.concat(directory)
  const count = Buffer.from([parts.length, 0, parts.length, 0])
  const end = [number(0x06054b50), Buffer.alloc(4), count, number(entries.length), number(offset), Buffer.alloc(2)]
  return Buffer.concat([...local, entries, ...end])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The parts of a workbook whose only sheet, Risks, has this XML below `sheetData`; others may replace them. */
export function partsOf(rows: string, replaced: Record<string, string | null> = {}): [string, string][] {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  const all: Record<string, string | null> = {
    '_rels/.rels': `<Relationships>${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': '<workbook><sheets><sheet name="Risks" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('rId1', 'worksheet', 'worksheets/sheet1.xml')}${relation('rId2', 'sharedStrings', '/xl/sharedStrings.xml')}${relation('rId3', 'styles', 'styles.xml')}</Relationships>`,
    'xl/sharedStrings.xml': '<sst/>',
    'xl/styles.xml': '<styleSheet/>',
    'xl/worksheets/sheet1.xml': `<?xml version="1.0"?><worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...replaced,
  }
  return Object.entries(all).flatMap(([name, content]) =>
    content === null ? [] : [[name, content] as [string, string]],
  )
}

/** A workbook with these cells, as inline strings, without the blank ones. */
export function workbookOf(rows: Iterable<readonly string[]>): Buffer {
  const xml = Array.from(rows, (cells, index) => {
    const written = cells.flatMap((cell, at) => (cell === '' ? [] : [inline(`${columnName(at)}${index + 1}`, cell)]))
    return `<row r="${index + 1}">${written.join('')}</row>`
  })
  return zipOf(partsOf(xml.join('')))
}

function inline(reference: string, text: string): string {
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`
}

/** As Excel writes texts: what XML cannot have, and a carriage return, by its code. */
function xmlText(text: string): string {
  const code = (one: string) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
  return text
    .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replaceAll(/(?![\t\n])[\p{Cc}\ufffe\uffff]/gu, code)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
}

function columnName(at: number): string {
  const last = String.fromCharCode(65 + (at % 26))
  return at < 26 ? last : columnName(Math.floor(at / 26) - 1) + last
}
