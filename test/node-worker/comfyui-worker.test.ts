/** The bridge as a worker of a real service, before a server that answers what a real ComfyUI answered. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readExchange } from '../support/comfyui/exchange.ts'
import { type Faults, recordedServer } from '../support/comfyui/recorded-server.ts'
import { sendJob } from '../support/comfyui/send-job.ts'
import { SCENARIOS } from '../support/real-comfyui/scenarios.ts'
import { until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'

const HANDLER = fileURLToPath(new URL('../../resources/node/comfyui/handler.ts', import.meta.url))

const shared = sharedService()

/** A service with an endpoint in front of a recorded server. */
async function setup(name: string, faults?: Faults) {
  const server = await recordedServer(readExchange(name), faults)
  const service = await shared()
  await service.createEndpoint('comfy', { handler: HANDLER, workflows: { server: server.url } })
  return { server, service, run: () => sendJob(service, 'comfy', SCENARIOS[name] ?? '') }
}

describe('the bridge as a worker', () => {
  it('runs a graph: the exact seed arrives, progress is reported, the picture is the output', async () => {
    const told = Promise.withResolvers<void>()
    const { server, service, run } = await setup('sampling', {
      onPrompt: async (socket, replaying) => {
        const end = replaying.exchange.socket.length - 4
        replaying.replay(socket, 0, end)
        await told.promise
        replaying.replay(socket, end)
      },
    })
    const job = await run()
    await until(async () => {
      const { output } = await service.get(`/v2/comfy/status/${job}`)
      expect(output).toMatchObject({ node: '9', preview: { node: '3' } })
    })
    told.resolve()
    const { status, output } = await service.jobEnd('comfy', job)
    expect([status, output]).toEqual([
      'COMPLETED',
      {
        images: [
          {
            filename: 'drydock_00001_.png',
            type: 'base64',
            data: expect.any(String),
            node: '9',
            mediaType: 'image/png',
          },
        ],
      },
    ])
    expect(server.asked.find(({ path }) => path === '/prompt')?.body).toContain('"seed":18446744073709551615')
  })

  it('fails a refused one: the error is JSON that names node, class and input', async () => {
    const { service, run } = await setup('refused')
    const { status, error } = await service.jobEnd('comfy', await run())
    expect([status, JSON.parse(error)]).toEqual([
      'FAILED',
      {
        message: readExchange('refused').publicAnswer.error,
        ...{ node: '1', class: 'CheckpointLoaderSimple', input: 'ckpt_name' },
        reason: expect.stringContaining("it's not.safetensors"),
        details: [expect.any(String), expect.any(String)],
      },
    ])
  })

  it('waits for a server that starts: the job says why, can be cancelled, and the next one runs when it is there', async () => {
    let isUp = false
    const { service, run } = await setup('sampling', {
      answer: (_asked, response) => {
        if (!isUp) response.destroy()
        return !isUp
      },
    })
    const [cancelled, next] = [await run(), await run()]
    const waits = async (job: string) => {
      const { status, waitingReason } = await service.get(`/api/jobs/${job}`)
      return [status, waitingReason]
    }
    const reason = expect.stringMatching(/^ComfyUI \(127\.0\.0\.1:\d+\) does not answer yet\. .* within 5 min\.$/)
    await until(async () => expect(await waits(cancelled)).toEqual(['IN_PROGRESS', reason]))
    expect((await service.get(`/api/jobs/${cancelled}/progress`)).waitingReason).toEqual(reason)
    await service.post(`/v2/comfy/cancel/${cancelled}`)
    await until(async () => expect(await waits(next)).toEqual(['IN_PROGRESS', reason]))
    expect(await waits(cancelled)).toEqual(['CANCELLED', undefined])
    isUp = true
    expect((await service.jobEnd('comfy', next)).status).toBe('COMPLETED')
  })

  it('interrupts the prompt of a cancelled job, and takes the next one', async () => {
    const exchange = readExchange('sampling')
    const body = exchange.answers.find(({ path }) => path === '/prompt')?.body
    const { prompt_id: promptId } = JSON.parse(body !== undefined && 'text' in body ? body.text : '')
    let prompts = 0
    const { server, service, run } = await setup('sampling', {
      onPrompt: (socket, replaying) => {
        prompts += 1
        replaying.replay(socket, 0, prompts === 1 ? 12 : undefined)
      },
      answer: ({ method, path }, response) => {
        if (path !== '/queue' && path !== '/interrupt') return false
        const queue = { queue_running: [[0, promptId, {}, {}, []]], queue_pending: [] }
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(method === 'GET' ? queue : {}))
        return true
      },
    })
    const job = await run()
    await until(() => expect(prompts).toBe(1))
    await service.post(`/v2/comfy/cancel/${job}`)
    await until(() => expect(server.asked.map(({ path }) => path)).toContain('/interrupt'))
    expect((await service.jobEnd('comfy', job)).status).toBe('CANCELLED')
    expect((await service.jobEnd('comfy', await run())).status).toBe('COMPLETED')
  })
})
