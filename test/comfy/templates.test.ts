/**
 * Every workflow that the public editor offers, in both directions, held against the editor's own page. Heavy: it
 * installs the page and opens a thousand documents in it.
 */
import { writeSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { findComfyUi } from '../support/real-comfyui/start-comfyui.ts'
import { validatePrompts } from '../support/real-comfyui/validate-prompts.ts'
import { CLASSES, documentOf, payloadOf, savedAgain, withText } from './convert.ts'
import { type Difference, differences } from './differences.ts'
import { knowsClassesOf, knowsInputsOf } from './known.ts'
import { type Installed, install, NEWEST, PINNED } from './packages.ts'
import { openRealPage, type RealPage } from './real-page.ts'
import { NOT_OPENED, reasonOf, reasonOfDocument } from './reasons.ts'
import { withoutEachClass } from './without-class.ts'

const TEXT = 'a text that no template has'
// Half a thousand documents, and as many of ours; on two cores.
const ALL_MS = 30 * 60_000

describe.each([PINNED, NEWEST])('the $name release', (release) => {
  let installed: Installed
  // All of the pinned release; of the newest, those that its own classes add nothing to.
  let templates: Installed['templates']
  let page: RealPage
  const payloads = new Map<string, string>()
  // Whose payload is another one than the page's, for a reason.
  const others = new Set<string>()

  beforeAll(async () => {
    if (noBrowser !== undefined) return
    installed = install(release)
    const known = [...installed.templates].filter(([, document]) => release === PINNED || knowsInputsOf(document))
    templates = new Map(known)
    say(`${release.name}: ${known.length} of ${installed.templates.size} templates are of classes that are known here`)
    page = await openRealPage({ folder: installed.page, classes: CLASSES })
  }, ALL_MS)
  afterAll(() => page?.close())

  it('makes the payloads of all templates that we make, but for those with a reason', {
    timeout: ALL_MS,
  }, async ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    const unexplained: string[] = []
    const explained = new Map<string, Set<string>>()
    let same = 0
    for (const [name, document] of templates) {
      const opened = await page.open(document).catch((error: unknown) => String(error))
      if (typeof opened === 'string') {
        if (!NOT_OPENED.includes(name)) unexplained.push(`${name}: ${opened.slice(0, 200)}`)
        continue
      }
      const { payload } = opened
      payloads.set(name, payload)
      const found = differences(payload, payloadOf(document))
      if (found.length === 0) same += 1
      if (!found.every(isTitle)) others.add(name)
      for (const one of found) {
        const why = reasonOf(name, one)?.why
        if (why === undefined) unexplained.push(told(name, one))
        else explained.set(why, (explained.get(why) ?? new Set()).add(name))
      }
    }
    say(`${release.name}: ${same} of ${payloads.size} payloads are the same`)
    for (const [why, names] of explained) say(`${release.name}: ${names.size}, because ${why}`)
    expect(unexplained).toEqual([])
  })

  it('makes payloads in which a real server finds nothing that it does not find in those of the page', {
    timeout: ALL_MS,
  }, async ({ skip }) => {
    const server = findComfyUi()
    if (typeof server === 'string' || noBrowser !== undefined) return skip(true, String(noBrowser ?? server))
    const known = [...templates].filter(
      ([name, document]) => payloads.has(name) && !others.has(name) && knowsClassesOf(document),
    )
    const ofPage = await validatePrompts(
      server,
      known.map(([name]) => payloads.get(name) ?? '{}'),
    )
    const ofOurs = await validatePrompts(
      server,
      known.map(([, document]) => payloadOf(document)),
    )
    const refused = known.flatMap(([name], at) =>
      (ofOurs[at] ?? []).flatMap((one) => (ofPage[at]?.includes(one) ? [] : [`${name}: ${one}`])),
    )
    const alike = ofOurs.filter((found, at) => JSON.stringify(found) === JSON.stringify(ofPage[at])).length
    say(`${release.name}: a real server says the same of ${alike} of ${known.length} payloads and those of the page`)
    expect(refused).toEqual([])
  })

  it('are opened and saved here without a change', ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    const changed = [...templates].filter(
      ([, document]) => JSON.stringify(JSON.parse(savedAgain(document))) !== JSON.stringify(JSON.parse(document)),
    )
    expect(changed.map(([name]) => name)).toEqual([])
  })

  it('are sent the same when one of their classes is unknown, if they name its values', ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    const [all, naming] = [() => true, (document: string) => document.includes('"widgets_values_named"')].map((isOne) =>
      withoutEachClass([...installed.templates].filter(([, document]) => isOne(document))),
    )
    say(`${release.name}: each class unknown in turn: ${JSON.stringify({ all, ofFilesThatNameValues: naming })}`)
    expect(all?.wrong).toEqual([])
    // Of the pinned release, nine files name their values.
    if (release === NEWEST && naming !== undefined) expect(naming.same / naming.nodes).toBeGreaterThan(0.95)
  })

  it('sends a text that was edited here on the node of a subgraph, and nothing else changes', {
    timeout: ALL_MS,
  }, async ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    const wrong: string[] = []
    let edited = 0
    for (const [name, document] of templates) {
      const changed = withText(document, TEXT)
      const before = payloads.get(name)
      if (changed === undefined || before === undefined) continue
      edited += 1
      const found = differences(before, (await page.open(changed)).payload).filter(isMeant)
      wrong.push(...found.filter(({ ours }) => ours !== TEXT).map((one) => told(name, one)))
      if (!found.some(({ ours }) => ours === TEXT)) wrong.push(`${name}: the text is not sent`)
    }
    say(`${release.name}: a text was edited in ${edited} documents`)
    expect(wrong).toEqual([])
  })

  it('opens the documents that we make of payloads, and sends the same', { timeout: ALL_MS }, async ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    const changed: string[] = []
    let same = 0
    // The page itself sends nodes of classes that it does not know without a class.
    const known = [...templates].filter(([name, document]) => payloads.has(name) && knowsClassesOf(document))
    for (const [name] of known) {
      const payload = payloads.get(name) ?? '{}'
      const { payload: again, errors } = await page.open(documentOf(payload))
      const found = differences(payload, again)
      if (found.length === 0) same += 1
      changed.push(...found.filter((one) => reasonOfDocument(name, one) === undefined).map((one) => told(name, one)))
      changed.push(...errors.filter(isOfDocument).map((error) => `${name}: ${error}`))
    }
    say(`${release.name}: ${same} of ${known.length} documents are sent as the payloads that they were made of`)
    expect(changed).toEqual([])
  })
})

// Pictures that the page draws by itself, and nodes of classes that it does not know, are not of the document.
const isMeant = ({ what }: Difference): boolean => !/^Load3D\.image$|^undefined|^\?/.test(what)

const isTitle = ({ what }: Difference): boolean => what.endsWith(': title')

// Files that the server of this test has not; and what the page says of its own documents, too.
const isOfDocument = (error: string): boolean =>
  !/Failed to load resource|net::ERR|404|asset|model|Failed to realign/i.test(error)

const told = (name: string, { what, node, page, ours }: Difference): string =>
  `${name}: ${what} of ${node}: the page ${short(page)}, ours ${short(ours)}`

const short = (value: unknown): string => (JSON.stringify(value) ?? 'none').slice(0, 100)

function say(line: string): void {
  writeSync(1, `${line}\n`)
}
