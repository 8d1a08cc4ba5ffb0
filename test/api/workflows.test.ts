import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup, type TestService } from '../support/core.ts'

/** A document with one node for each value; seeds are beyond what a double holds. */
function documentText(...seeds: readonly string[]): string {
  const nodes = seeds.map((seed, at) => `{"id": ${at + 1}, "type": "Noise", "widgets_values": [${seed}, 1.0]}`)
  return `{"nodes": [${nodes.join(', ')}], "links": [], "version": 0.4, "unknown": {"b": 1, "a": 2}}`
}

const TEXT = documentText('18446744073709551615')
const NOTHING_SEEN = { version: 0, draft: 1 }

const add = (service: TestService, more: object = {}) =>
  service.post('/api/workflows', { name: 'Mine', text: TEXT, ...more })

describe('the library of workflows', () => {
  it('keeps the text of a document as it came, and counts its nodes', async () => {
    const service = await setup()
    const made = await add(service)
    expect(made).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{12}$/),
      name: 'Mine',
      version: 1,
      draft: 0,
      nodes: 1,
      createdAt: expect.any(Number),
      updatedAt: made.createdAt,
    })
    expect(await service.get(`/api/workflows/${made.id}`)).toEqual({ ...made, text: TEXT })
    expect(await service.get('/api/workflows')).toEqual({ workflows: [made] })
  })

  it('makes a document of a payload, with every number as it was', async () => {
    const service = await setup()
    const text = '{"3": {"class_type": "KSampler", "inputs": {"seed": 18446744073709551615, "cfg": 8.0}}}'
    const { id, nodes } = await add(service, { text })
    const { text: kept } = await service.get(`/api/workflows/${id}`)
    expect(nodes).toBe(1)
    expect(kept).toContain('18446744073709551615')
    expect(JSON.parse(kept)).toMatchObject({ nodes: [{ type: 'KSampler' }], version: 0.4 })
  })

  it('keeps NaN and Infinity of Python in both forms, and the text of a document as it came', async () => {
    const service = await setup()
    const text = TEXT.replace('1.0', 'NaN')
    const made = await add(service, { text })
    expect(await service.get(`/api/workflows/${made.id}`)).toMatchObject({ nodes: 1, text })
    const payload = '{"3": {"class_type": "KSampler", "inputs": {"seed": 5, "cfg": -Infinity}, "is_changed": [NaN]}}'
    const { id, nodes } = await add(service, { text: payload })
    expect(nodes).toBe(1)
    expect((await service.get(`/api/workflows/${id}`)).text).toContain('-Infinity')
  })

  it('takes a document out of a request', async () => {
    const service = await setup()
    const { id, nodes } = await add(service, { text: `{"input": {"workflow": ${TEXT}}}` })
    const { text: kept } = await service.get(`/api/workflows/${id}`)
    expect({ nodes, type: JSON.parse(kept).nodes[0].type }).toEqual({ nodes: 1, type: 'Noise' })
    expect(kept).toContain('18446744073709551615')
  })

  it.each([
    ['half a file', TEXT.slice(0, 60), /not JSON \(.* in line 1, column \d+\).*incomplete/],
    [
      'an object of something else',
      '{"name": "x", "version": 2}',
      /not a workflow but an object with "name", "version"/,
    ],
    ['a list', '[1, 2]', /not a workflow but a list/],
    ['nothing', '', /not JSON/],
  ])('refuses %s, and says what it is', async (_what, text, message) => {
    const service = await setup()
    const { status, body } = await service.ask('POST', '/api/workflows', { body: { name: 'x', text } })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'NOT_A_WORKFLOW' })
    expect(body.error).toMatch(message)
    expect(await service.get('/api/workflows')).toEqual({ workflows: [] })
  })

  it('takes a text up to its limit, and one byte more is too large', async () => {
    const service = await setup()
    const padded = (bytes: number) => `${TEXT}${' '.repeat(bytes - TEXT.length)}`
    const most = limit('workflowBytes')
    expect((await add(service, { text: padded(most) })).nodes).toBe(1)
    const { status, body } = await service.ask('POST', '/api/workflows', {
      body: { name: 'x', text: padded(most + 1) },
    })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'BODY_TOO_LARGE' })
  })

  it('refuses what is nested more deeply than the editor reads', async () => {
    const service = await setup()
    for (const depth of [600, 100_000]) {
      const text = `{"nodes": [${'['.repeat(depth)}${']'.repeat(depth)}], "links": []}`
      const { body } = await service.ask('POST', '/api/workflows', { body: { name: 'x', text } })
      expect(body).toMatchObject({ code: 'NOT_A_WORKFLOW', error: expect.stringContaining('nested too deeply') })
    }
  })

  it('refuses 100 MB by the length that is announced, before they come', async () => {
    const service = await setup()
    const headers = { 'content-length': String(100 * 1024 * 1024) }
    const { body } = await service.ask('POST', '/api/workflows', { body: '{}', headers })
    expect(body.code).toBe('BODY_TOO_LARGE')
  })

  it('takes 50,000 nodes, and ids that are other things in JavaScript', async () => {
    const service = await setup()
    const text = documentText(...Array.from({ length: 50_000 }, (_one, at) => String(at)))
    expect((await add(service, { text })).nodes).toBe(50_000)
    const strange = '{"__proto__": {"class_type": "Noise", "inputs": {"constructor": 1}}}'
    const { id } = await add(service, { text: strange })
    expect((await service.get(`/api/workflows/${id}`)).text).toContain('__proto__')
  })
})

describe('drafts and versions', () => {
  it('a draft is what is opened, until it is saved as a version', async () => {
    const service = await setup()
    const { id } = await add(service, { draft: true })
    const second = documentText('2')
    const drafted = await service.ask('PUT', `/api/workflows/${id}/draft`, {
      body: { text: second, seen: NOTHING_SEEN },
    })
    expect(drafted.body).toMatchObject({ version: 0, draft: 2 })
    const saved = await service.post(`/api/workflows/${id}/versions`, { text: second, seen: { version: 0, draft: 2 } })
    expect(saved).toMatchObject({ version: 1, draft: 0 })
    const third = documentText('3', '4')
    await service.ask('PUT', `/api/workflows/${id}/draft`, { body: { text: third, seen: { version: 1, draft: 0 } } })
    expect(await service.get(`/api/workflows/${id}`)).toMatchObject({ text: third, draft: 3, nodes: 2 })
    const dropped = await service.ask('DELETE', `/api/workflows/${id}/draft`)
    expect(dropped.body).toMatchObject({ version: 1, draft: 0, nodes: 1 })
    expect(await service.get(`/api/workflows/${id}`)).toMatchObject({ text: second })
    const { versions } = await service.get(`/api/workflows/${id}/versions`)
    expect(versions).toEqual([{ version: 1, savedAt: expect.any(Number), nodes: 1 }])
    expect(await service.get(`/api/workflows/${id}/versions/1`)).toMatchObject({ text: second })
  })

  it('of two windows that have seen the same, the second overwrites nothing', async () => {
    const service = await setup()
    const { id } = await add(service)
    const seen = { version: 1, draft: 0 }
    const write = (text: string) => service.ask('PUT', `/api/workflows/${id}/draft`, { body: { text, seen } })
    const [first, second] = await Promise.all([write(documentText('1')), write(documentText('2'))])
    expect([first.status, second.status]).toEqual([200, 409])
    expect(second.body.code).toBe('WORKFLOW_CHANGED')
    expect((await service.get(`/api/workflows/${id}`)).text).toBe(documentText('1'))
    const save = await service.ask('POST', `/api/workflows/${id}/versions`, { body: { text: documentText('2'), seen } })
    expect(save.status).toBe(409)
  })

  it('a draft that was dropped gives its number to no other', async () => {
    const service = await setup()
    const { id } = await add(service)
    const draft = async (text: string, seen: object) =>
      (await service.ask('PUT', `/api/workflows/${id}/draft`, { body: { text, seen } })).body
    const { draft: first } = await draft(documentText('1'), { version: 1, draft: 0 })
    await service.ask('DELETE', `/api/workflows/${id}/draft`)
    const { draft: second } = await draft(documentText('2'), { version: 1, draft: 0 })
    expect(second).not.toBe(first)
    expect(await draft(documentText('3'), { version: 1, draft: first })).toMatchObject({ code: 'WORKFLOW_CHANGED' })
  })

  it('who did not hear the answer may send the same again', async () => {
    const service = await setup()
    const { id } = await add(service)
    const body = { text: documentText('1'), seen: { version: 1, draft: 0 } }
    const answers = [await service.ask('PUT', `/api/workflows/${id}/draft`, { body })]
    answers.push(await service.ask('PUT', `/api/workflows/${id}/draft`, { body }))
    expect(answers.map(({ status, body: { draft } }) => ({ status, draft }))).toEqual([
      { status: 200, draft: 1 },
      { status: 200, draft: 1 },
    ])
  })

  it('keeps the newest 200 versions', async () => {
    const service = await setup()
    const { id } = await add(service)
    for (let version = 1; version < 202; version++)
      await service.post(`/api/workflows/${id}/versions`, { text: TEXT, seen: { version, draft: 0 } })
    const { versions } = await service.get(`/api/workflows/${id}/versions`)
    expect(versions.map((one: { version: number }) => one.version)).toEqual(
      Array.from({ length: 200 }, (_one, at) => 202 - at),
    )
  })
})

describe('acknowledged work', () => {
  it('is there after kill -9: workflows, drafts, versions, classes of nodes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-workflows-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const service = await setup({ file: join(folder, 'drydock.db') })
    await service.createEndpoint('e', { workflows: {} })
    const { id } = await add(service)
    const text = documentText('2')
    await service.ask('PUT', `/api/workflows/${id}/draft`, { body: { text, seen: { version: 1, draft: 0 } } })
    const classes = '{"A": {"input": {}}}'
    await service.ask('PUT', '/api/node-types/e', { body: { text: classes } })
    await service.restart('killed')
    expect(await service.get(`/api/workflows/${id}`)).toMatchObject({ text, version: 1, draft: 1 })
    expect(await service.get(`/api/workflows/${id}/versions/1`)).toMatchObject({ text: TEXT })
    expect(await service.get('/api/node-types?endpoint=e')).toMatchObject({ text: classes, source: 'file' })
  })
})

describe('a workflow of the library', () => {
  it('changes its name; a thumbnail must be here', async () => {
    const service = await setup()
    const { id } = await add(service)
    const path = `/api/workflows/${id}`
    expect((await service.ask('PATCH', path, { body: { name: 'Other' } })).body).toMatchObject({ name: 'Other' })
    const { body } = await service.ask('PATCH', path, { body: { thumbnail: 'a'.repeat(64) } })
    expect(body).toMatchObject({ code: 'BAD_FIELD', error: expect.stringContaining('Upload it first') })
  })

  it('says that its thumbnail is of an older text, until there is another', async () => {
    const service = await setup()
    const { id } = await add(service)
    const path = `/api/workflows/${id}`
    const picture = Buffer.from('a picture')
    const asset = createHash('sha256').update(picture).digest('hex')
    await service.ask('PUT', `/api/assets/${asset}`, {
      body: picture,
      headers: { 'content-type': 'application/octet-stream' },
    })
    const isOld = async () => (await service.get('/api/workflows')).workflows[0].thumbnailOld
    const draw = () => service.ask('PATCH', path, { body: { thumbnail: asset } })
    expect((await draw()).body).not.toHaveProperty('thumbnailOld')
    await service.ask('PUT', `${path}/draft`, { body: { text: documentText('2'), seen: { version: 1, draft: 0 } } })
    expect(await isOld()).toBe(true)
    await draw()
    expect(await isOld()).toBe(undefined)
    await service.ask('POST', `${path}/versions`, { body: { text: documentText('3'), seen: { version: 1, draft: 1 } } })
    expect(await isOld()).toBe(true)
  })

  it('can be brought back for an hour after it was deleted', async () => {
    const service = await setup()
    const { id } = await add(service)
    const path = `/api/workflows/${id}`
    await service.ask('DELETE', path)
    expect((await service.ask('GET', path)).body.code).toBe('WORKFLOW_NOT_FOUND')
    expect(await service.get('/api/workflows')).toEqual({ workflows: [] })
    await service.clock.leap(58 * 60_000)
    expect(await service.post(`${path}/restore`)).toMatchObject({ id, name: 'Mine' })
    await service.ask('DELETE', path)
    await service.clock.leap(62 * 60_000)
    expect((await service.ask('POST', `${path}/restore`)).body.code).toBe('WORKFLOW_NOT_FOUND')
  })
})
