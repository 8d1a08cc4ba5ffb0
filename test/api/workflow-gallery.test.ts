import { describe, expect, it } from 'vitest'
import { DOCUMENT, ended, finish, PAYLOAD, SEED, start, withEndpoint } from '../support/graph-runs.ts'

describe('the gallery', () => {
  it('has the graphs of other clients too', async () => {
    const service = await withEndpoint()
    const body = `{"input": {"workflow": ${PAYLOAD}}}`
    const { id } = (await service.ask('POST', '/v2/e/run', { body })).body
    await service.run({ something: 'else' })
    expect(await service.get('/api/workflow-runs')).toMatchObject({ runs: [{ id, title: 'Sent by a program' }] })
    expect((await service.get(`/api/workflow-runs/${id}`)).payload).toContain(SEED)
  })

  it('is read page by page, and filtered', async () => {
    const service = await withEndpoint()
    await service.createEndpoint('other', { workflows: {} })
    const { id: workflowId } = await service.post('/api/workflows', { name: 'w', text: DOCUMENT })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push((await start(service, { title: `Run ${n}` })).id)
    const payload = '{"6": {"class_type": "Text", "inputs": {"text": "Ein BÜRO am Meer"}}}'
    const mine = await start(service, { workflowId, sweepId: 's', endpointId: 'other', payload })
    const idsOf = async (query: string) => {
      const { runs, more } = await service.get(`/api/workflow-runs?${query}`)
      return { ids: runs.map(({ id }: { id: string }) => id), more }
    }
    expect(await idsOf('limit=3')).toEqual({ ids: [mine.id, ids[4], ids[3]], more: true })
    expect(await idsOf(`limit=3&before=${ids[3]}`)).toEqual({ ids: [ids[2], ids[1], ids[0]], more: false })
    for (const query of [
      `workflow=${workflowId}`,
      'sweep=s',
      'endpoint=other',
      `workflow=${workflowId}&endpoint=other`,
    ])
      expect(await idsOf(query)).toEqual({ ids: [mine.id], more: false })
    expect((await service.ask('GET', '/api/workflow-runs?before=nope')).body.code).toBe('BAD_FIELD')
    expect(await idsOf('endpoint=e&limit=1')).toEqual({ ids: [ids[4]], more: true })
    expect(await idsOf(`workflow=${workflowId}&endpoint=e`)).toEqual({ ids: [], more: false })
    expect(await idsOf('q=RUN%202')).toEqual({ ids: [ids[2]], more: false })
    expect(await idsOf('q=b%C3%BCro%20AM')).toEqual({ ids: [mine.id], more: false })
  })

  it('gives up a run that has ended, and none that has not', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    expect((await service.ask('DELETE', `/api/workflow-runs/${id}`)).body).toMatchObject({ code: 'BAD_FIELD' })
    await finish(service, id, { output: {} })
    await ended(service, id)
    expect((await service.ask('DELETE', `/api/workflow-runs/${id}`)).status).toBe(200)
    expect((await service.ask('GET', `/api/workflow-runs/${id}`)).body.code).toBe('RUN_NOT_FOUND')
  })

  it('forgets runs after 30 days', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    await finish(service, id, { output: {} })
    await ended(service, id)
    await service.clock.leap(29 * 86_400_000)
    expect((await service.ask('GET', `/api/workflow-runs/${id}`)).status).toBe(200)
    await service.clock.leap(2 * 86_400_000)
    await service.clock.until(async () => (await service.ask('GET', `/api/workflow-runs/${id}`)).status === 404)
  })
})
