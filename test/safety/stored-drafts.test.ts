import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { servedService } from '../support/served-service.ts'

const RUNS = 2
const ACKNOWLEDGED = 30

// Its seed says which it is.
const draft = (seed: number) => `{"nodes": [{"id": 1, "type": "Noise", "widgets_values": [${seed}]}], "links": []}`

test('a service that is killed while somebody edits loses no acknowledged draft', async () => {
  const service = servedService()
  await service.start()
  const { id } = await service.post('/api/workflows', { name: 'Mine', text: draft(0) })
  let last = 0
  for (let run = 0; run < RUNS; run++) {
    const path = `/api/workflows/${id}`
    let seen = await service.get(path)
    const edit = async () => {
      for (let seed = last + 1; ; seed++) {
        const { version, draft: kept } = seen
        const { status, body } = await service.ask('PUT', `${path}/draft`, {
          text: draft(seed),
          seen: { version, draft: kept },
        })
        expect(status).toBe(200)
        seen = body
        last = seed
        if (seed % ACKNOWLEDGED === 0) void service.kill()
      }
    }
    await edit().catch((error: Error) => expect(error.message).toContain('fetch failed'))
    await service.start()
    const { text } = await service.get(path)
    // The last one that was under way may be there too: its answer was lost.
    expect([draft(last), draft(last + 1)]).toContain(text)
    last += 1
  }
})

test('a file that was acknowledged is whole after the service was killed', async () => {
  const service = servedService()
  await service.start()
  const bytes = new Uint8Array(5_000_000).fill(7)
  const hash = createHash('sha256').update(bytes).digest('hex')
  const key = service.read('data', 'account.key').trim()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' }
  const put = await fetch(`${service.url()}/api/assets/${hash}?name=x.bin`, { method: 'PUT', headers, body: bytes })
  expect(put.status).toBe(200)
  await service.kill()
  await service.start()
  const answer = await fetch(`${service.url()}/api/assets/${hash}`, { headers: { authorization: `Bearer ${key}` } })
  expect(
    createHash('sha256')
      .update(new Uint8Array(await answer.arrayBuffer()))
      .digest('hex'),
  ).toBe(hash)
  expect(await service.get('/api/assets?name=x.bin')).toMatchObject({ assets: [{ id: hash }] })
})
