import { describe, expect, test } from 'vitest'
import { lines, openDesk } from '../importing.js'
import { column, DEFAULTS, factor, questions, read } from './reading.js'

describe('a likelihood', () => {
  test.each<[string, string[], unknown[]]>([
    ['words', ['very low', 'LOW', 'Medium', 'High', 'Very High'], [1, 2, 3, 4, 5]],
    ['other words', ['Rare', 'Unlikely', 'Possible', 'Likely', 'Almost certain'], [1, 2, 3, 4, 5]],
    ['steps', ['1', '2', '5', ''], [1, 2, 5, '']],
    ['decimals', ['1.0', '4.0'], [1, 4]],
    ['labels', ['4 - Likely', 'High (4)', '5: Certain', '2/5', 'P3'], [4, 4, 5, 2, 3]],
    ['three numbers with words', ['1 - Low', '3 - High'], [2, 4]],
    ['up to ten', ['1', '6', '10'], [1, 3, 5]],
    ['percentages', ['20%', '21 %', '100%', '0%'], [1, 2, 5, 1]],
    ['ranges of percentages', ['<10%', '10-30%', '30–50 %', '>90%'], [1, 1, 2, 5]],
    ['percentages that have lost their sign', ['70%', '0.25', '0.9', '50'], [4, 2, 5, 3]],
    ['fractions', ['0.1', '0,5', '0.9'], [1, 3, 5]],
    ['numbers up to a hundred', ['20', '95'], [1, 5]],
    ['initials', ['L', 'm', 'H'], [2, 3, 4]],
    ['letters with words', ['A - Almost certain', 'E (Rare)'], [5, 1]],
    ['blanks in words', ['High', 'TBD', 'n/a'], [4, '', '']],
    ['pairs and typos', ['Medium-High', 'Low-Medium', 'Unlikly', 'High'], [3, 2, 2, 4]],
  ])('of %s becomes steps from 1 to 5', (_, texts, steps) => {
    expect(column('likelihood', read('risks', factor(...texts)))).toEqual(steps)
  })

  test('on the scale that the heading names, or that the other factor shows, is spread over the steps', () => {
    const named = read('risks', lines('No,Hazard,Likelihood (1-3),Impact', '1,x,1,3', '2,x,2,3', '3,x,3,1'))
    expect([column('likelihood', named), column('impact', named)]).toEqual([
      [1, 3, 5],
      [5, 5, 1],
    ])
    expect(column('likelihood', read('risks', lines('No,Hazard,Likelihood,Impact', '1,x,4,9')))).toEqual([2])
  })

  test('above all others by one number is a question, because the scale of the whole sheet hangs on it', () => {
    const sheet = (heading: string) => lines(`No,Hazard,${heading},Impact`, '1,a,3,4', '2,b,5,5', '3,c,8,5')
    expect(questions(sheet('Probability'))).toEqual([
      'Probability: only "8" (row 4) is above 5, so that the scale may be 1 to 5 or 1 to 10. Correct the cell, or say it in the heading: "Probability (1-10)".',
    ])
    expect(questions(sheet('Probability (1-10)'))).toEqual([])
    expect(questions(sheet('Probability (1-5)'))).toEqual([expect.stringMatching(/not known what "8" \(row 4\) means/)])
    expect(questions(`${sheet('Probability')}4,d,9,5\n`)).toEqual([])
  })

  test('that remains is on the scale of the one before', () => {
    const rows = ['1,a,9,8,3,4', '2,b,7,5,6,5', '3,c,2,2,2,2']
    const sheet = read('risks', lines('No,Risk,Likelihood,Impact,Residual Likelihood,Residual Impact', ...rows))
    expect([sheet.guess?.questions, column('likelihood', sheet), column('residualLikelihood', sheet)]).toEqual([
      [],
      [5, 4, 1],
      [2, 3, 1],
    ])
  })

  test('in bare letters is kept in details, because standards disagree on which is the most', () => {
    const { records, guess } = read('risks', factor('A', 'C'))
    expect(records[0]?.values).toMatchObject({ title: 'x', 'details.Probability': 'A', 'details.Consequence': '3' })
    expect(guess?.notes).toEqual([
      'Probability is no more than a detail: its texts are no steps without --value.',
      'Consequence is no more than a detail: likelihood and impact count only together.',
      ...DEFAULTS,
    ])
  })

  test('in bare letters counts once --value says what one of them is, and asks for the others', () => {
    const given = (values: Record<string, string>) => ({ values: new Map(Object.entries(values)) })
    expect(questions(factor('A', 'c', 'D'), 'risks', given({ a: '5' }))).toEqual([
      expect.stringMatching(/^Probability: it is not known what "c" \(row 3\), "D" \(row 4\) means for likelihood/),
    ])
    const sheet = read('risks', factor('A', 'c', 'D'), given({ a: '5', c: '3', d: '2' }))
    expect([column('likelihood', sheet), column('impact', sheet)]).toEqual([
      [5, 3, 2],
      [3, 3, 3],
    ])
  })

  test('without an impact is kept in details, and never completed', () => {
    const { records, guess } = read('risks', lines('No,Hazard,Probability', '1,x,High'))
    expect(records[0]?.values).toEqual({ reference: '1', title: 'x', 'details.Probability': 'High' })
    expect(guess?.notes).toEqual([
      'Probability is no more than a detail: likelihood and impact count only together.',
      ...DEFAULTS,
    ])
  })
})

test('a scale that its heading turns is turned, and one whose other end is open is a question', () => {
  const sheet = (heading: string) => lines(`No,Hazard,Probability,${heading}`, '1,a,5,1', '2,b,5,4')
  for (const heading of ['Impact (1=High 5=Low)', 'Impact (1-5; 1 = highest)', 'Impact (High=1; Low=5)']) {
    const turned = read('risks', sheet(heading))
    expect(column('impact', turned), heading).toEqual([5, 2])
    expect(turned.guess?.columns[2]?.how).toBe('numbers from 1 to 5, turned so that 1 is the highest')
  }
  expect(column('impact', read('risks', sheet('Impact (1=Low 5=High)')))).toEqual(['1', '4'].map(Number))
  expect(questions(sheet('Impact (1 = highest)'))).toEqual([expect.stringMatching(/^Impact .*other end is not named/)])
  const issues = (heading: string) => lines(`No,Summary,${heading}`, '1,a,1', '2,b,4')
  expect(column('severity', read('issues', issues('Severity (1=High 4=Low)')))).toEqual(['CRITICAL', 'LOW'])
  expect(questions(issues('Priority (1=Low 4=High)'), 'issues')).toEqual([expect.stringMatching(/has numbers/)])
})

describe('a score beside the factors', () => {
  const sheet = (heading: string, ...scores: unknown[]) =>
    lines(`No,Hazard,Likelihood,Impact,${heading}`, ...scores.map((one, at) => `${at},x${at},${at + 1},4,${one}`))

  test('is left out only where it is their product or its level in every row', () => {
    for (const [heading, ...scores] of [
      ['Exposure', 4, 8, 12],
      ['Risk Level', 'low', 'Medium', 'HIGH'],
      ['Score', 4, '', 12],
    ])
      expect(read('risks', sheet(String(heading), ...scores)).guess?.ignored, String(heading)).toHaveLength(1)
    expect(column('details.Priority', read('risks', sheet('Priority', 4, 8, 1)))).toEqual([4, 8, 1])
    expect(column('details.Score', read('risks', sheet('Score', 4, 8, 13)))).toEqual([4, 8, '13'])
    const alone = read('risks', lines('No,Hazard,Rating,Exposure', '1,x,12,50000', '2,y,4,20'))
    expect([column('scoreGiven', alone)[0], column('details.Rating', alone)[0]]).toEqual([undefined, '12'])
  })

  test('that puts the risks into another order is a warning, and --keep score stores it', async () => {
    const desk = openDesk()
    const rows = ['1,Valve leaks,6,9,54', '2,Label falls off,10,5,50', '3,Sensor drifts,4,5,20']
    desk.put('risks.csv', lines('No,Risk Event,Likelihood,Impact,Score', ...rows))
    const flags = ['risks', 'risks.csv', '--project', 'A', '--create-projects']
    const { report } = await desk.report(...flags, '--dry-run')
    expect(report.files[0]?.warnings).toEqual([])
    desk.put(
      'risks.csv',
      lines('No,Risk Event,Likelihood,Impact,Score', '1,Valve leaks,8,8,64', '2,Label falls,9,7,63'),
    )
    expect((await desk.report(...flags, '--dry-run')).report.files[0]?.warnings).toEqual([
      expect.objectContaining({
        detail: expect.stringMatching(/^Score puts the risks .* lower in row 2 than .*--keep score/),
      }),
    ])
    expect((await desk.report(...flags, '--keep', 'score')).report.created).toBe(2)
    expect(desk.rows('select likelihood, score_given, details from risk where reference = 1')).toEqual([
      [null, 16, '[{"name":"Likelihood","text":"8"},{"name":"Impact","text":"8"},{"name":"Score","text":"64"}]'],
    ])
  })
})

test('a score in fractions is kept in details', () => {
  const sheet = read('risks', lines('No,Hazard,Risk Score', '1,a,0.72', '2,b,0.2'))
  expect([column('scoreGiven', sheet), column('details.Risk Score', sheet)]).toEqual([
    [undefined, undefined],
    ['0.72', '0.2'],
  ])
})
