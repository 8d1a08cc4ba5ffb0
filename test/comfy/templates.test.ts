/**
 * Every workflow that the public editor offers, in both directions, held against the editor's own page. Heavy: it installs
 * the page and opens a thousand documents in it.
 */
import { writeSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { CLASSES, documentOf, knowsClassesOf, payloadOf, savedAgain, withText } from './convert.ts'
import { type Difference, differences } from './differences.ts'
import { type Installed, install, NEWEST, PINNED, type Release } from './packages.ts'
import { openRealPage, type RealPage } from './real-page.ts'
import { reasonOf, reasonOfDocument } from './reasons.ts'

const TEXT = 'a text that no template has'
// Half a thousand documents, and as many of ours; on two cores.
const ALL_MS = 30 * 60_000

describe.each([PINNED, NEWEST])('the $name release', (release) => {
  let installed: Installed
  let page: RealPage
  const payloads = new Map<string, string>()

  beforeAll(async () => {
    if (noBrowser !== undefined) return
    installed = install(release)
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
    for (const [name, document] of templatesOf(release, installed)) {
      const { payload } = await page.open(document)
      payloads.set(name, payload)
      const found = differences(payload, payloadOf(document))
      if (found.length === 0) same += 1
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

  it('are opened and saved here without a change', ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    const all = templatesOf(release, installed).map(([, document]) => document)
    expect(
      all.filter(
        (document) => JSON.stringify(JSON.parse(savedAgain(document))) !== JSON.stringify(JSON.parse(document)),
      ),
    ).toEqual([])
  })

  it('sends a text that was edited here on the node of a subgraph, and nothing else changes', {
    timeout: ALL_MS,
  }, async ({ skip }) => {
    skip(noBrowser !== undefined, noBrowser)
    const wrong: string[] = []
    let edited = 0
    for (const [name, document] of templatesOf(release, installed)) {
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
    const known = templatesOf(release, installed).filter(([, document]) => knowsClassesOf(document))
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

/** The templates of a release; of a newer one than the classes that come along those whose classes are known. */
function templatesOf(release: Release, { templates }: Installed): readonly (readonly [string, string])[] {
  return [...templates].filter(([, document]) => release === PINNED || knowsClassesOf(document))
}

// Pictures that the page draws by itself, and nodes of classes that it does not know, are not of the document.
const isMeant = ({ what }: Difference): boolean => !/^Load3D\.image$|^undefined|^\?/.test(what)

// Files that the server of this test has not.
const isOfDocument = (error: string): boolean => !/Failed to load resource|net::ERR|404|asset|model/i.test(error)

const told = (name: string, { what, node, page, ours }: Difference): string =>
  `${name}: ${what} of ${node}: the page ${short(page)}, ours ${short(ours)}`

const short = (value: unknown): string => (JSON.stringify(value) ?? 'none').slice(0, 100)

function say(line: string): void {
  writeSync(1, `${line}\n`)
}
