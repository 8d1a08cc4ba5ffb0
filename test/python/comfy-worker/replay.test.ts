/** The worker of images before a server that answers what a real ComfyUI answered, compared with the bridge. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exchangeNames, readExchange } from '../../support/comfyui/exchange.ts'
import { recordedServer } from '../../support/comfyui/recorded-server.ts'
import { runJob } from '../../support/comfyui/run-job.ts'
import { SCENARIOS } from '../../support/real-comfyui/scenarios.ts'

const PYTHONPATH = join(import.meta.dirname, '../../../resources/python')

async function runInPython(input: string, address: string) {
  const child = spawn('python3', [join(import.meta.dirname, 'run_job.py'), address], {
    env: { ...process.env, PYTHONPATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(input)
  let printed = ''
  for await (const part of child.stdout.setEncoding('utf8')) printed += part
  const { output, ...rest } = JSON.parse(printed)
  return { output: typeof output.error === 'string' ? { ...output, error: unwrapped(output.error) } : output, ...rest }
}

// Facts of a node travel as JSON in the text of the error.
const unwrapped = (error: string) => (error.startsWith('{') ? JSON.parse(error) : error)

const withoutPorts = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/127\.0\.0\.1:\d+/g, 'HOST'))

describe('the worker of images', () => {
  it.each(exchangeNames())('%s: gives what the bridge gives', async (name) => {
    const exchange = readExchange(name)
    const input = SCENARIOS[name] ?? ''
    const [own, ofBridge] = [await recordedServer(exchange), await recordedServer(exchange)]
    const [inPython, expected] = [await runInPython(input, own.url), await runJob(input, { servers: [ofBridge.url] })]
    expect(withoutPorts(inPython.output)).toEqual(withoutPorts(expected.output))
  })

  it('tells the node, what is done and the newest preview', async () => {
    const server = await recordedServer(readExchange('sampling'))
    const { progress } = await runInPython(SCENARIOS.sampling ?? '', server.url)
    expect(progress[0]).toMatchObject({ done: expect.any(Array) })
  })

  it('queues the payload with its numbers as they came', async () => {
    const server = await recordedServer(readExchange('sampling'))
    await runInPython(SCENARIOS.sampling ?? '', server.url)
    const queued = server.asked.find(({ path }) => path === '/prompt')?.body ?? ''
    expect(queued).toContain('18446744073709551615')
    expect(server.told[0]).toContain('supports_preview_metadata')
  })
})
