import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { sendEvents, setupCli } from './support.ts'

const END_OF_INPUT = '\u0004'

test('the end of piped input is sent until the shell has ended, because a terminal may lose it', async () => {
  const output = Promise.withResolvers<ServerResponse>()
  const { run, service } = await setupCli({
    'POST /api/workers/w1/shell': { shellId: 's1', program: 'bash' },
    'GET /api/shells/s1/output': output.resolve,
    'POST /api/shells/s1/input': async (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
      if (typed().filter((text) => text === END_OF_INPUT).length !== 3) return
      const ended = { end: 0, data: '', ended: 'the shell has exited' }
      sendEvents(await output.promise, [{ event: 'output', data: ended }])
    },
  })
  const typed = () => service.seen.flatMap(({ line, body }) => (line.endsWith('/input') ? [(body as Typed).text] : []))
  const { exitCode, stderr } = await run(['workers', 'shell', 'w1'], { stdin: 'echo hello\n' })
  expect(exitCode).toBe(0)
  expect(stderr).toContain('the shell has exited')
  expect(typed().slice(0, 4)).toEqual(['echo hello\n', END_OF_INPUT, END_OF_INPUT, END_OF_INPUT])
})

type Typed = { readonly text: string }
