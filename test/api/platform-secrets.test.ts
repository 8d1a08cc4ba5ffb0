import { expect, test } from 'vitest'
import { platformTools } from '../support/platform-tools.ts'

const VALUE = 'not-to-be-seen'
const CREATE = 'mutation ($input: SecretCreateInput!) { secretCreate(input: $input) { id name description createdAt } }'
const LIST = '{ myself { secrets { id name description } } }'
const DELETE = 'mutation ($id: ID!) { secretDelete(id: $id) }'

async function setup(options: Parameters<typeof platformTools>[0] = {}) {
  const tools = await platformTools(options)
  const { read } = tools
  const create = async (name: string, value = VALUE, description?: string) =>
    (await read(CREATE, { input: { name, value, description } })).secretCreate
  const list = async () => (await read(LIST)).myself.secrets
  const remove = async (id: string) => (await read(DELETE, { id })).secretDelete
  return { ...tools, create, list, remove }
}

test('a secret is stored, listed and deleted, and its value is in no answer', async () => {
  const { create, list, remove, service } = await setup()
  const made = await create('hf-token', VALUE, 'For models')
  const secret = { id: 'hf-token', name: 'hf-token', description: 'For models' }
  expect(made).toMatchObject(secret)
  expect(await list()).toEqual([secret])
  expect(JSON.stringify(service.log)).not.toContain(VALUE)
  expect(await remove('hf-token')).toBe(true)
  expect(await remove('hf-token')).toBe(false)
  expect(await list()).toEqual([])
})

test('a name that is taken, or that no setting could hold, is refused', async () => {
  const { create, refusal, list } = await setup()
  await create('hf-token')
  const refused = (name: string) => refusal(CREATE, { input: { name, value: 'other' } })
  expect(await refused('hf-token')).toBe('name: is the name of a secret already. Delete that one first.')
  for (const name of ['', 'a b', 'a}}', 'x'.repeat(256)]) expect(await refused(name)).toMatch(/^name: must be letters/)
  expect(await list()).toHaveLength(1)
})

test('the schema has no field for a value', async () => {
  const { refusal } = await setup()
  expect(await refusal('{ myself { secrets { value } } }')).toMatch(/^Cannot query field "value"/)
})

test('a worker finds the value where its settings name the secret', async () => {
  const { create, service } = await setup()
  await create('hf-token')
  const env = {
    TOKEN: '{{ RUNPOD_SECRET_hf-token }}',
    URL: 'https://ada:{{RUNPOD_SECRET_hf-token}}@models.example',
    PLAIN: '{{ name }}',
  }
  await service.createEndpoint('e', { env })
  expect((await service.worker()).spec.env).toMatchObject({
    TOKEN: VALUE,
    URL: `https://ada:${VALUE}@models.example`,
    PLAIN: '{{ name }}',
  })
  expect((await service.get('/api/endpoints/e')).env).toEqual(env)
})

test('a value that looks like a pattern is put in as it is', async () => {
  const { create, service } = await setup()
  await create('odd', "$& $1 $' {{ RUNPOD_SECRET_odd }}")
  await service.createEndpoint('e', { env: { ODD: '{{ RUNPOD_SECRET_odd }}' } })
  expect((await service.worker()).spec.env.ODD).toBe("$& $1 $' {{ RUNPOD_SECRET_odd }}")
})

test('a worker does not start without a secret that its settings name, and the event says which', async () => {
  const { create, service } = await setup()
  await service.createEndpoint('e', { env: { TOKEN: '{{ RUNPOD_SECRET_hf-token }}' } })
  const sentence = 'its variable TOKEN names the secret hf-token, which is not stored: rp secret add hf-token'
  await service.clock.until(async () => JSON.stringify(await service.get('/api/endpoints/e')).includes(sentence))
  expect(service.fleet().started).toEqual([])
  await create('hf-token')
  await service.clock.advance(120_000)
  expect((await service.worker()).spec.env.TOKEN).toBe(VALUE)
})

test('a worker that prints a secret prints stars into its log, also after the secret has gone', async () => {
  const { create, remove, service } = await setup()
  await create('hf-token')
  await service.createEndpoint('e', { env: { TOKEN: '{{ RUNPOD_SECRET_hf-token }}' } })
  const worker = await service.worker()
  await worker.ping()
  service.fleet().print(worker.id, `the token is ${VALUE}`)
  await remove('hf-token')
  service.fleet().print(worker.id, `once more ${VALUE}`)
  const lines = await service.clock.until(async () => {
    const text = JSON.stringify(await service.get(`/api/workers/${worker.id}/logs`))
    return text.includes('once more') && text
  })
  expect(lines).toContain('the token is ')
  expect(lines).not.toContain(VALUE)
})
