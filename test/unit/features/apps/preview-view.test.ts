import { describe, expect, it } from 'vitest'
import { type PreviewEvent, previewEvent } from '../../../../src-main/contract/preview-events.ts'
import { type PreviewView, previewView } from '../../../../src-main/contract/projects.ts'
import {
  previewBegun,
  previewEnded,
  previewStopping,
  previewWith,
} from '../../../../src-main/features/apps/rules/project-progress.ts'

// Events as a preview of one endpoint wrote them, with the addresses of that machine shortened.
const ENDPOINT = {
  resource: 'greet',
  id: 'greet',
  loadBalanced: false,
  url: 'http://127.0.0.1:8790/v2/greet',
  routes: [],
  functions: ['greet'],
}
const UP: PreviewEvent = {
  event: 'up',
  app: 'demo',
  environment: 'preview-x',
  url: 'http://127.0.0.1:8790',
  data: '/data/previews/demo-x',
  keyFile: '/data/previews/demo-x/account.key',
}
const STEP = {
  resource: 'greet',
  action: 'create' as const,
  changes: [],
  replacesWorkers: false,
  state: 'starting' as const,
  note: 'starts',
}
const PREPARING: PreviewEvent = { event: 'preparing', release: 1, steps: [STEP] }
const live = (release: number, more: object = {}): PreviewEvent =>
  previewEvent.parse({
    event: 'live',
    release,
    tookMs: 420,
    files: release === 1 ? [] : ['greet.py'],
    because: 'code',
    runsOn: 'processes',
    warnings: ['No containers here.'],
    endpoints: [ENDPOINT],
    changed: 1,
    ...more,
  })
const BROKEN: PreviewEvent = {
  event: 'build failed',
  problems: [{ code: 'syntax-error', message: 'Invalid syntax.', file: 'greet.py', line: 3 }],
  answers: 1,
}

const told = (...events: readonly PreviewEvent[]): PreviewView =>
  events.reduce((view, event, at) => previewWith(view, event, 100 + at), previewBegun(99))
const texts = ({ notes }: PreviewView) => notes.map(({ kind, text }) => `${kind}: ${text}`)

describe('the view of a preview', () => {
  it('goes from its start to its first release', () => {
    expect(told()).toEqual({ state: 'starting', startedAt: 99, steps: [], endpoints: [], problems: [], notes: [] })
    expect(told(UP, PREPARING)).toMatchObject({ state: 'starting', url: 'http://127.0.0.1:8790', steps: [STEP] })
    const view = told(UP, PREPARING, live(1))
    expect(view).toMatchObject({ state: 'live', release: 1, runsOn: 'processes', steps: [], endpoints: [ENDPOINT] })
    expect(view.notes.slice(1)).toEqual([
      { at: 102, kind: 'live', text: 'Live: 1 endpoint', tookMs: 420, files: [] },
      { at: 102, kind: 'warning', text: 'No containers here.' },
    ])
    expect(previewView.parse(view)).toEqual(view)
  })

  it('never tells where the key is', () => {
    expect(JSON.stringify(told(UP, live(1)))).not.toContain('account.key')
  })

  it('names what a save changed, and a warning once', () => {
    const many = live(3, { files: ['a.py', 'b.py', 'c.py', 'd.py'], changed: 2 })
    const variables = live(4, { files: [], because: 'variables' })
    expect(texts(told(live(1), live(2), many, variables)).slice(2)).toEqual([
      'live: greet.py changed, 1 endpoint',
      'live: 4 files changed, 2 endpoints',
      'live: Variables changed, 1 endpoint',
    ])
  })

  it('is broken with the reason while the release before answers, and sound again after the next save', () => {
    const broken = told(UP, live(1), BROKEN)
    expect(broken).toMatchObject({
      state: 'broken',
      release: 1,
      endpoints: [ENDPOINT],
      problems: [{ file: 'greet.py', line: 3 }],
      why: 'The latest save does not build. Release 1 keeps answering; the next save tries again.',
    })
    for (const mended of [live(2), { event: 'as before', release: 1 } as const]) {
      const view = told(UP, live(1), BROKEN, mended)
      expect(view).toMatchObject({ state: 'live', problems: [] })
      expect(view.why).toBeUndefined()
    }
  })

  it('is broken where the first save does not start', () => {
    const view = told(UP, { event: 'release failed', release: 1, why: 'greet: ImportError' })
    expect(view).toMatchObject({
      state: 'broken',
      why: 'The latest save does not start: greet: ImportError. Fix it and save: the preview tries again.',
    })
    expect(view.release).toBeUndefined()
  })

  it('tells of variables, of what was given up, and what workers write', () => {
    const line = { id: 7, at: 5, level: 'INFO', line: 'hello', endpointId: 'greet', workerId: 'w' }
    const log = previewEvent.parse({ event: 'log', endpoint: 'greet', line })
    const view = told(
      { event: 'variables', names: ['TOKEN'], leftOut: ['SVC_X'] },
      { event: 'variables', names: [], leftOut: [] },
      { event: 'given up', release: 2 },
      { event: 'warning', message: 'The folder is gone.' },
      log,
    )
    expect(texts(view)).toEqual([
      'info: Variables from .env: TOKEN. Not for workers, so left out: SVC_X.',
      'info: No variables from .env.',
      'info: Release 2 was not ready yet and is cancelled for the newer save.',
      'warning: The folder is gone.',
      'log: hello',
    ])
    expect(view.notes.at(-1)?.endpoint).toBe('greet')
  })

  it.each([499, 500, 501])('keeps the newest 500 of %i notes', (count) => {
    const warnings = Array.from({ length: count }, (_none, at) => ({ event: 'warning' as const, message: `w${at}` }))
    const { notes } = told(...warnings)
    expect(notes.length).toBe(Math.min(count, 500))
    expect(notes.at(-1)?.text).toBe(`w${count - 1}`)
  })

  it.each([1999, 2000, 2001])('keeps both ends of a line of %i characters', (length) => {
    const line = { id: 1, at: 1, endpointId: 'greet', workerId: 'w', level: 'info', line: 'x'.repeat(length) }
    const [note] = told({ event: 'log', endpoint: 'greet', line }).notes
    expect(note?.text).toBe(length > 2000 ? `${'x'.repeat(998)} … ${'x'.repeat(999)}` : line.line)
  })

  it('stays on its way to the end whatever comes meanwhile, and has no address then', () => {
    const stopping = previewStopping(told(UP, live(1)))
    for (const event of [live(2), BROKEN, { event: 'stopping' } as const, { event: 'ended' } as const])
      expect(previewWith(stopping, event, 200).state).toBe('stopping')
    const ended = previewEnded(stopping, undefined, 300)
    expect(ended).toMatchObject({ state: 'ended', endpoints: [], steps: [] })
    expect(ended.url).toBeUndefined()
    expect(ended.why).toBeUndefined()
    expect(previewEnded(stopping, 'It was killed.', 300)).toMatchObject({ state: 'ended', why: 'It was killed.' })
  })
})
