/** Every tool, called by the official client on a real service. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { TOOLS } from '../../src-main/app/mcp/tools.ts'
import { limit } from '../../src-main/contract/limits.ts'
import { type ServedService, startedService, until } from '../support/served-service.ts'
import { type Agent, httpAgent, stdioAgent } from './support-agent.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const ECHO = 'def handler(job):\n    print("got", job["input"])\n    return job["input"]\n'

const namesOf = (may: (tool: (typeof TOOLS)[number]) => boolean) => TOOLS.filter(may).map(({ name }) => name)

async function namedKey(service: ServedService, role: string): Promise<string> {
  return (await service.post('/api/keys', { name: `agent-${role}`, role })).key
}

/** Calls tools by name, and notes which; each answer must be none of an error. */
function caller(agent: Agent) {
  const called = new Set<string>()
  const call: Agent['call'] = async (name, input) => {
    called.add(name)
    const told = await agent.call(name, input)
    expect(told, `${name} ${JSON.stringify(input)}: ${told.text}`).toMatchObject({ isError: false })
    return told
  }
  return { call, called }
}

// Fifty tools one after the other: builds, deploys and graphs among them, ms.
const ALL_TOOLS_MS = 300_000

test('an agent with all rights calls every tool', { timeout: ALL_TOOLS_MS }, async () => {
  const service = await startedService()
  await service.createHandler('echo', ECHO)
  await service.createEndpoint('sketch', { handler: SKETCH, workflows: {}, workersMax: 1 })
  const agent = await stdioAgent(service, { args: ['--allow-dangerous'] })
  expect(await agent.tools()).toEqual(TOOLS.map(({ name }) => name))
  const { call, called } = caller(agent)

  // Jobs.
  const { data: sent } = await call('job_submit', { endpointId: 'echo', input: { n: 1 } })
  const { data: ended } = await call('job_wait', { jobId: sent.id })
  expect(ended).toMatchObject({ status: 'COMPLETED', output: { n: 1 } })
  expect(ended.timeline.map((line: string) => line.split(' ')[2])).toEqual(['submit', 'claim', 'complete'])
  await call('job_read', { jobId: sent.id })
  const found = await call('job_search', { endpointId: 'echo', status: ['COMPLETED'] })
  expect(found.data).toMatchObject({ count: 1, jobs: [{ id: sent.id }] })
  expect((await call('job_payload', { jobId: sent.id, part: 'input' })).data).toMatchObject({ text: '{"n":1}' })
  const log = await until(async () => {
    const told = await call('log_read', { jobId: sent.id, contains: 'GOT' })
    expect(told.data.lines).toHaveLength(1)
    return told
  })
  expect(log.text).toContain("got {'n': 1}")
  const { data: again } = await call('job_replay', { jobId: sent.id })
  await call('job_wait', { jobId: again.id })
  await service.createEndpoint('gated', { workersMax: 1 })
  const held = await service.run('gated', { gates: [service.gate('never')] })
  expect((await call('job_cancel', { jobId: held })).data).toEqual({ id: held, status: 'CANCELLED' })

  // Endpoints, workers, the service.
  const { data: all } = await call('endpoint_list')
  expect(all.endpoints.map(({ id }: { id: string }) => id).toSorted()).toEqual(['echo', 'gated', 'sketch'])
  await call('endpoint_create', { id: 'made', handler: join(service.folder, 'echo.py'), env: { TOKEN: 'very-secret' } })
  const { text: settings } = await call('endpoint_read', { endpointId: 'made' })
  expect(settings).not.toContain('very-secret')
  expect(settings).toContain('"TOKEN": "(hidden)"')
  const changed = await call('endpoint_update', { endpointId: 'made', workersMax: 2 })
  expect(changed.data).toMatchObject({ workersMax: 2 })
  expect((await call('why_waiting', { endpointId: 'echo' })).data.says[0]).toMatch(/^Healthy\./)
  expect((await call('endpoint_pause', { endpointId: 'made', paused: true })).data).toMatchObject({ state: 'paused' })
  await service.run('made', {})
  expect((await call('endpoint_purge', { endpointId: 'made' })).data).toMatchObject({ removed: 1 })
  const faults = await call('fault_switches', { endpointId: 'made', failPercent: 20 })
  expect(faults.data).toMatchObject({ faults: { failPercent: 20 } })
  expect((await call('fault_switches', { endpointId: 'made', off: true })).data.says).toBe('Fault injection is off.')
  const refused = await agent.call('endpoint_delete', { endpointId: 'made', confirm: 'yes' })
  expect(refused).toMatchObject({ isError: true, text: 'Nothing was deleted: confirm must be made.' })
  await call('endpoint_delete', { endpointId: 'made', confirm: 'made' })
  const { data: lists } = await call('worker_list', { endpointId: 'echo' })
  await call('worker_replace', { workerId: lists.workers[0].id })
  await call('machine_list')
  await call('event_list', { endpointId: 'echo' })
  expect((await call('service_status')).data).toMatchObject({ endpoints: 3 })

  // Requests and load tests.
  const request = { operation: 'run', body: '{"input": {"saved": 1}}' }
  await service.post('/api/endpoints/echo/saved-requests', { name: 'mine', request })
  expect((await call('saved_request_list', { endpointId: 'echo' })).data.requests).toMatchObject([{ name: 'mine' }])
  const { data: fromSaved } = await call('saved_request_run', { endpointId: 'echo', name: 'mine' })
  expect((await call('job_wait', { jobId: fromSaved.id })).data).toMatchObject({ output: { saved: 1 } })
  const { data: load } = await call('load_test_start', { endpointId: 'echo', requests: 20, concurrency: 4 })
  await until(async () => {
    const { data } = await call('load_test_read', { endpointId: 'echo', loadTestId: load.id })
    expect(data).toMatchObject({ state: 'completed', done: 20, failed: 0 })
  })
  await call('load_test_stop', { endpointId: 'echo', loadTestId: load.id })
  const asked = await call('what_if', { endpointId: 'echo', perSecond: 1, vary: { workersMax: [1, 3] } })
  expect(asked.data.rows.map(({ setting }: { setting: { workersMax: number } }) => setting.workersMax)).toContain(3)
  await useManyInputs(call)
  const { data: added } = await call('schedule_add', { endpointId: 'echo', name: 'nightly', cron: '0 3 * * *' })
  expect((await call('schedule_list')).data.schedules).toMatchObject([{ id: added.id, name: 'nightly' }])
  await call('schedule_remove', { endpointId: 'echo', scheduleId: added.id })
  await service.ask('PATCH', '/api/settings', { webhooksToPrivateAddresses: true })
  const { data: hooked } = await call('job_submit', {
    ...{ endpointId: 'echo', input: {} },
    webhook: 'http://127.0.0.1:9/?token=abc123',
  })
  const delivery = await until(async () => {
    const { data, text } = await call('job_read', { jobId: hooked.id })
    expect(data.deliveries[0].lastError).toContain('nothing listens there')
    expect(text).not.toContain('abc123')
    return data.deliveries[0]
  })
  await call('webhook_resend', { deliveryId: delivery.id })

  await useWorkflows(call)
  await useApps(service, call)
  expect([...called].toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted())
})

async function useManyInputs(call: Agent['call']): Promise<void> {
  const batch = { endpointId: 'echo', name: 'three', inputs: [{ n: 1 }, { n: 2 }, { n: 3 }] }
  const { data: submitted } = await call('batch_submit', batch)
  expect(submitted).toMatchObject({ total: 3, unsent: 0 })
  await until(async () => {
    const { data } = await call('batch_read', { batchId: submitted.id })
    expect(data).toMatchObject({ jobs: { COMPLETED: 3 }, says: ['3 of 3 inputs ended'] })
  })
  expect((await call('batch_read', { endpointId: 'echo' })).data.batches).toMatchObject([{ name: 'three' }])
  const { data: page, text } = await call('batch_results', { batchId: submitted.id, line: 2, rows: 1 })
  expect(page.results).toMatchObject([{ status: 'COMPLETED', output: { n: 2 } }])
  expect(text).toContain('More results: line=3.')
  expect((await call('batch_retry', { batchId: submitted.id })).data).toMatchObject({ changed: 0 })
  expect((await call('batch_cancel', { batchId: submitted.id })).data).toMatchObject({ changed: 0 })
  await call('batch_delete', { batchId: submitted.id })
  expect((await call('batch_read', { endpointId: 'echo' })).data.batches).toEqual([])

  const { data: begun } = await call('compare_start', {
    versions: [{ endpoint: 'echo' }, { endpoint: 'echo', set: { n: '5' } }],
    inputs: [{ n: 1 }, { n: 5 }],
  })
  await until(async () => {
    const { data } = await call('compare_read', { comparisonId: begun.id })
    expect(data).toMatchObject({ verdict: { result: 'differs' }, says: ['1 of 2 outputs differs.'] })
    expect(data.rows[0]).toMatchObject({ outcome: 'differs', differences: [{ path: 'n', text: '5 instead of 1' }] })
  })
  expect((await call('compare_read')).data.comparisons).toMatchObject([{ id: begun.id }])
  expect((await call('compare_stop', { comparisonId: begun.id })).data).toMatchObject({ state: 'done' })
}

async function useWorkflows(call: Agent['call']): Promise<void> {
  const { data: made } = await call('workflow_create', { name: 'a cat', template: 'text-to-picture' })
  const workflowId = made.id
  expect((await call('workflow_list')).data.workflows).toMatchObject([{ id: workflowId, name: 'a cat' }])
  const { data: read } = await call('workflow_read', { workflowId })
  const sampler = read.nodes.find((line: string) => /^\d+ KSampler/.test(line))
  expect(sampler).toMatch(/^\d+ KSampler.*seed=.*model←\d+\.0/)
  const [id] = sampler.split(' ')
  const { data: classes } = await call('workflow_classes', { text: 'KSampler' })
  expect(classes.classes[0].inputs.map(({ name }: { name: string }) => name)).toContain('seed')
  const seed = '18446744073709551615'
  const { data: edited } = await call('workflow_edit', {
    workflowId,
    edits: [
      { do: 'set', node: id, input: 'seed', value: seed },
      { do: 'note', text: 'by an agent' },
    ],
    save: true,
  })
  expect(edited).toMatchObject({ version: 2, problems: [] })
  expect((await call('workflow_read', { workflowId, as: 'json' })).text).toContain(seed)
  expect((await call('workflow_validate', { workflowId, endpointId: 'sketch' })).data.says).toEqual([
    'No problem was found.',
  ])
  const { data: run } = await call('workflow_run', { workflowId, endpointId: 'sketch' })
  await call('job_wait', { jobId: run.runId, seconds: 40 })
  const shown = await until(async () => {
    const told = await call('run_picture', { runId: run.runId })
    expect(told.pictures).toHaveLength(1)
    return told
  })
  const [picture] = shown.pictures
  expect(picture?.mimeType).toBe('image/png')
  expect(
    Buffer.from(picture?.data ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG')
  expect((await call('run_list', { workflowId })).data.runs).toMatchObject([{ id: run.runId }])
}

async function useApps(service: ServedService, call: Agent['call']): Promise<void> {
  const folder = join(service.folder, 'shop')
  mkdirSync(folder)
  const { data: project } = await call('app_open', { folder, from: 'app' })
  expect(project.endpoints).toContain('greet')
  expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toContain('drydock mcp')
  await call('app_source', { projectId: project.id })
  const wanted = { projectId: project.id, environment: 'staging', runsOn: 'processes' }
  const { data: planned } = await call('app_plan', wanted)
  expect(planned.plan.steps.map(({ action }: { action: string }) => action)).toContain('create')
  const { data: deployed } = await call('app_deploy', { ...wanted, planId: planned.planId })
  const { number } = deployed.release
  await until(async () => {
    const { data } = await call('release_read', { app: 'shop', environment: 'staging', number })
    expect(data.release.state).toBe('active')
  })
  expect((await call('app_list')).data.apps).toMatchObject([{ name: 'shop' }])
  await call('app_read', { app: 'shop', environment: 'staging' })
  await call('app_preview', { projectId: project.id, action: 'start' })
  await call('app_preview', { projectId: project.id, action: 'read' })
  await call('app_preview', { projectId: project.id, action: 'stop' })
}

test('a deploy needs the plan that was seen, and the person where the client can ask', async () => {
  const service = await startedService()
  const asked: string[] = []
  let says = false
  const answer = (question: string) => {
    asked.push(question)
    return says
  }
  const agent = await stdioAgent(service, { args: ['--allow-dangerous'], answer })
  const folder = join(service.folder, 'shop')
  mkdirSync(folder)
  const { data: project } = await agent.call('app_open', { folder, from: 'app' })
  const wanted = { projectId: project.id, environment: 'staging', runsOn: 'processes' }
  const { data: planned } = await agent.call('app_plan', wanted)

  const unseen = await agent.call('app_deploy', { ...wanted, planId: 'guessed' })
  expect(unseen).toMatchObject({ isError: true })
  expect(unseen.text).toMatch(/^Nothing was deployed: the plan is another/)
  const elsewhere = await agent.call('app_deploy', { ...wanted, environment: 'production', planId: planned.planId })
  expect(elsewhere.text).toMatch(/^Nothing was deployed: the plan is another/)
  expect(asked).toEqual([])

  const no = await agent.call('app_deploy', { ...wanted, planId: planned.planId })
  expect(no).toMatchObject({ isError: true, text: 'Nothing was deployed: the person said no.' })
  expect(asked).toEqual([expect.stringMatching(/^Deploy shop to staging\? create /)])
  expect(await service.get('/api/apps')).toEqual({ apps: [] })

  says = true
  const yes = await agent.call('app_deploy', { ...wanted, planId: planned.planId })
  expect(yes.data.release).toMatchObject({ number: 1 })
})

test('the role of a key and the allowed effects bound each other; a key that may read never writes', async () => {
  const service = await startedService()
  await service.createHandler('echo', ECHO)
  const reader = await namedKey(service, 'read')
  const runner = await namedKey(service, 'run')
  const reads = namesOf(({ effect, role }) => effect === 'reads' && role === 'read')

  const bold = await httpAgent(service, reader, 'dangerous')
  const { tools } = await bold.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(reads)
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  for (const { name } of TOOLS.filter(({ effect }) => effect !== 'reads')) {
    const told = await bold.call(name)
    expect(told, name).toMatchObject({ isError: true })
    expect(told.text, name).toContain('this key has the role read')
  }

  const careful = await httpAgent(service, runner)
  expect(await careful.tools()).toEqual(reads)
  const off = await careful.call('job_submit', { endpointId: 'echo', input: {} })
  expect(off.text).toContain('The tool job_submit is off. A person can switch it on')

  const working = await httpAgent(service, runner, 'writes')
  expect(await working.tools()).toEqual(namesOf(({ effect, role }) => effect !== 'dangerous' && role !== 'deploy'))
  const { data: job } = await working.call('job_submit', { endpointId: 'echo', input: { by: 'http' } })
  expect((await working.call('job_wait', { jobId: job.id })).data).toMatchObject({ output: { by: 'http' } })

  const listed = (await (await stdioAgent(service)).client.listTools()).tools
  expect(listed.map(({ name }) => name)).toEqual(reads)
  const dangerous = await (await stdioAgent(service, { args: ['--allow-dangerous'] })).client.listTools()
  const destructive = dangerous.tools.filter(({ annotations }) => annotations?.destructiveHint === true)
  expect(destructive.map(({ name }) => name)).toEqual(namesOf(({ effect }) => effect === 'dangerous'))
})

test('resources and prompts are listed and read', async () => {
  const service = await startedService()
  await service.createHandler('echo', ECHO, { env: { TOKEN: 'very-secret' } })
  const { client } = await stdioAgent(service)
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual([
    'drydock://guide',
    'drydock://endpoints/echo',
    'drydock://logs/echo',
  ])
  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri })
    return String(contents[0] && 'text' in contents[0] ? contents[0].text : '')
  }
  expect(await read('drydock://guide')).toContain('# Drydock')
  const settings = await read('drydock://endpoints/echo')
  expect(JSON.parse(settings)).toMatchObject({ id: 'echo', env: { TOKEN: '(hidden)' } })
  const id = await service.run('echo', {})
  await service.jobEnd('echo', id)
  expect(JSON.parse(await read(`drydock://jobs/${id}`))).toMatchObject({ status: 'COMPLETED' })
  await expect(read('drydock://jobs/none')).rejects.toThrow('JOB_NOT_FOUND')
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates).toHaveLength(4)

  const { prompts } = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['why_did_it_fail', 'make_an_endpoint', 'improve_a_workflow'])
  const { messages } = await client.getPrompt({ name: 'why_did_it_fail', arguments: { jobId: 'job-1' } })
  expect(JSON.stringify(messages)).toContain('job-1')
  await expect(client.getPrompt({ name: 'why_did_it_fail' })).rejects.toThrow('jobId')
})

test('an agent that floods is told to wait, and the service answers others as before', async () => {
  const service = await startedService()
  await service.createEndpoint('gated', { workersMax: 1 })
  const held = await service.run('gated', { gates: [service.gate('go')] })
  const agent = await httpAgent(service, await namedKey(service, 'read'))
  const waits = Array.from({ length: limit('mcpCallsAtOnce') }, () => agent.call('job_wait', { jobId: held }))
  await until(async () => {
    const told = await agent.call('endpoint_list')
    expect(told).toMatchObject({ isError: true })
    expect(told.text).toBe('There are 8 calls open, and 8 may be. Wait for one of them to be answered.')
  })
  const flood = Array.from({ length: 2 * limit('mcpRequestsAtOnce') }, () => agent.call('job_read', { jobId: held }))
  expect(await service.get('/api/info')).toMatchObject({ endpoints: 1 })
  const told = await Promise.all(flood.map((one) => one.then(({ text }) => text, String)))
  const slowed =
    /There are \d+ calls open, and (8|64) may be|This agent called \d+ times within a second, and (40|100) are allowed/
  expect(told.filter((text) => !slowed.test(text))).toEqual([])
  // Nothing is lost by it.
  service.openGate('go')
  for (const wait of waits) expect((await wait).data).toMatchObject({ status: 'COMPLETED' })
  await until(async () => expect(await agent.call('endpoint_list')).toMatchObject({ isError: false }))
})

test('the service may come later than its agent, and each failure says what to do', async () => {
  const service = await startedService()
  await service.stop()
  const agent = await stdioAgent(service)
  const down = await agent.call('endpoint_list')
  expect(down).toMatchObject({ isError: true })
  expect(down.text).toContain('No Drydock service is running on the data folder')
  await service.start()
  expect(await agent.call('endpoint_list')).toMatchObject({ isError: false })
  const unknown = await agent.call('job_read', { jobId: 'none' })
  expect(unknown.text).toContain('JOB_NOT_FOUND')
  const wrong = await agent.call('job_read', { job: 'x' })
  expect(wrong.text).toContain('The arguments of job_read do not fit: jobId:')
})
