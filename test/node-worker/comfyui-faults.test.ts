/** The bridge before servers that break, lie or say too much. */
import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { readExchange } from '../support/comfyui/exchange.ts'
import { type Faults, type RecordedServer, recordedServer } from '../support/comfyui/recorded-server.ts'
import { type JobOptions, runJob } from '../support/comfyui/run-job.ts'
import { sampling } from '../support/real-comfyui/scenarios.ts'
import { until } from '../support/served-service.ts'

const EXCHANGE = readExchange('sampling')
const INPUT = sampling('1', 6)
const QUICK = { lookAttempts: 2, lookIntervalMs: 1, reconnectAttempts: 2, reconnectDelayMs: 1, historyLooks: 2 }

const promptId: string = JSON.parse(
  EXCHANGE.answers.flatMap(({ path, body }) => (path === '/prompt' && 'text' in body ? [body.text] : []))[0] ?? '',
).prompt_id

const run = (server: Pick<RecordedServer, 'url'>, options: JobOptions = {}) =>
  runJob(INPUT, { servers: [server.url], ...QUICK, ...options })

const json = (response: ServerResponse, value: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value)) !== undefined

const page = (response: ServerResponse) =>
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><html><head><style>a{}</style></head><body><h1>Sign in</h1> to the router</body></html>') !==
  undefined

/** Where the queue has the prompt. */
const queued = (running: readonly string[], pending: readonly string[] = []) => ({
  queue_running: running.map((id, at) => [at, id, {}, {}, []]),
  queue_pending: pending.map((id, at) => [at, id, {}, {}, []]),
})

const lastImage = { images: [expect.objectContaining({ filename: 'drydock_00001_.png', type: 'base64', node: '9' })] }

describe('a server that does not exist', () => {
  it('is named, with the reason and what to do', async () => {
    const server = await recordedServer(EXCHANGE)
    await server.die()
    const { output } = await run(server)
    const { host } = new URL(server.url)
    expect(output.error).toBe(
      `ComfyUI server (${host}) not reachable after multiple retries. The last try: nothing listens there. ` +
        'Start it, or set its address in the settings of the endpoint.',
    )
  })

  it('is another program: its first words are shown', async () => {
    const server = await recordedServer(EXCHANGE, { answer: (_asked, response) => page(response) })
    const { output } = await run(server)
    expect(output.error).toBe(
      `The server at ${server.url}/ is not a ComfyUI server: it sent an HTML page (HTTP 200): "Sign in to the router". ` +
        'Set the address of the server in the settings of the endpoint.',
    )
  })

  it('has no address that can be asked', async () => {
    const { output } = await runJob(INPUT, { servers: ['ftp://there'] })
    expect(output.error).toBe(
      'The address of the ComfyUI server in the settings of the endpoint must begin with http or https.',
    )
  })

  it('wants a password: the message says where it belongs', async () => {
    const server = await recordedServer(EXCHANGE, {
      answer: (_asked, response) => response.writeHead(401).end() !== undefined,
    })
    expect((await run(server)).output.error).toMatch(
      /needs a user name and a password \(HTTP 401\)\. Add them to the address/,
    )
  })

  it('leads back to itself through other endpoints: the message says so', async () => {
    const server = await recordedServer(EXCHANGE, {
      answer: (_asked, response) => response.writeHead(508).end() !== undefined,
    })
    expect((await run(server)).output.error).toMatch(/leads back to itself, through the servers of other endpoints\./)
  })

  it('is at another of the usual places', async () => {
    const [none, router, server] = [
      await recordedServer(EXCHANGE),
      await recordedServer(EXCHANGE, { answer: (_asked, response) => page(response) }),
      await recordedServer(EXCHANGE),
    ]
    await none.die()
    expect((await run(server, { servers: [none.url, router.url, server.url] })).output).toEqual(lastImage)
  })

  it('is none behind a page that comes in its place later: its first words are shown too', async () => {
    const server = await recordedServer(EXCHANGE, {
      answer: ({ path }, response) => path === '/prompt' && page(response),
    })
    expect((await run(server)).output.error).toContain('it sent an HTML page (HTTP 200): "Sign in to the router"')
  })

  it('is waited for while it starts, and the job says so until it continues', async () => {
    const starts: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(503).end('starting'),
      (response) => response.destroy(),
      (response) => response.writeHead(200).end(),
    ]
    const starting: Faults['answer'] = ({ path }, response) => {
      const answer = path === '/system_stats' ? starts.shift() : undefined
      answer?.(response)
      return answer !== undefined
    }
    const server = await recordedServer(EXCHANGE, { answer: starting })
    const { output, progress, log } = await run(server, { lookAttempts: undefined })
    const { host } = new URL(server.url)
    expect(output).toEqual(lastImage)
    const waiting =
      `ComfyUI (${host}) does not answer yet. The last try: 503 Server Error: Service Unavailable for url: ` +
      `${server.url}/system_stats. The job continues when it does, and fails if it does not within 5 min.`
    expect([progress.slice(0, 2), log[0]]).toEqual([[{ waiting }, { done: [] }], waiting])
  })

  it('is not waited for without end', async () => {
    const server = await recordedServer(EXCHANGE)
    await server.die()
    const { output, progress } = await run(server, { lookAttempts: undefined, lookForMs: 1000 })
    const { host } = new URL(server.url)
    expect(progress).toHaveLength(1)
    expect(output.error).toBe(
      `ComfyUI server (${host}) not reachable after multiple retries, for 0 min. ` +
        `The last try: nothing listens there. Start it, or set its address in the settings of the endpoint.`,
    )
  })
})

describe('an address', () => {
  it('may have a path, a user and a password, which no message shows', async () => {
    const asked: (string | undefined)[] = []
    const server = await recordedServer(EXCHANGE, {
      answer: ({ path }, response) => {
        asked.push(path)
        return page(response)
      },
    })
    const address = `${server.url.replace('//', '//me:hidden@')}/comfy`
    const { output } = await run({ url: address })
    expect(asked).toEqual(['/comfy/system_stats'])
    expect(output.error).toContain(`${server.url}/comfy/`)
    expect(output.error).not.toContain('hidden')
  })
})

describe('a server that breaks off', () => {
  const halfWay: Faults['onPrompt'] = (socket, server) => {
    server.replay(socket, 0, 12)
    socket.drop()
  }

  it('for good: the job fails when it does not come back, and says after how much', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: async (socket, dying) => {
        dying.replay(socket, 0, 12)
        await dying.die()
      },
    })
    const { output, log } = await run(server)
    const { host } = new URL(server.url)
    expect(output.error).toBe(
      'WebSocket communication error: Connection closed and failed to reconnect. ' +
        `Last error: nothing listens there. ComfyUI at ${host} may have ended; see its log`,
    )
    expect(log.filter((line) => line.startsWith('Attempt'))).toHaveLength(2)
  })

  it('for a moment: the job continues where the prompt is', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: halfWay,
      onSocket: (count) => count !== 2,
      answer: ({ path }, response) => path === '/queue' && json(response, queued([promptId])),
    })
    const job = run(server)
    await until(() => expect(server.asked.filter(({ path }) => path === '/queue')).toHaveLength(1))
    server.replay(server.socket(), 12)
    expect((await job).output).toEqual(lastImage)
  })

  it('while the prompt ends: its results are found in the history', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: halfWay,
      answer: ({ path }, response) => path === '/queue' && json(response, queued([])),
    })
    expect((await run(server)).output).toEqual(lastImage)
  })

  it('and was started again: the prompt is gone, and the job says so', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: halfWay,
      answer: ({ path }, response) =>
        (path === '/queue' && json(response, queued(['another']))) ||
        (path.startsWith('/history') && json(response, {})),
    })
    expect((await run(server)).output.error).toMatch(
      /^Prompt ID .* not found in history after execution\. ComfyUI at .* was restarted or its queue was cleared/,
    )
  })

  it('again and again: it is given time between two connections', async () => {
    const openedAt: number[] = []
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket) => socket.drop(),
      onSocket: () => openedAt.push(performance.now()) > 0,
      answer({ path }, response) {
        if (path !== '/queue') return false
        server.socket().drop()
        return json(response, queued(openedAt.length < 5 ? [promptId] : []))
      },
    })
    expect((await run(server, { reconnectDelayMs: 50 })).output).toEqual(lastImage)
    const spans = openedAt.slice(2).map((at, before) => at - (openedAt[before + 1] ?? at))
    expect(Math.min(...spans)).toBeGreaterThan(45)
  })

  it('in order, with a reason: that is in the log', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket) => socket.close(1012, 'restart'),
      answer: ({ path }, response) => path === '/queue' && json(response, queued([])),
    })
    const { output, log } = await run(server)
    expect(output).toEqual(lastImage)
    expect(log[0]).toMatch(/was lost: the server closed the connection \(1012: restart\)$/)
  })
})

describe('one of several servers', () => {
  const SEVERAL = { ...QUICK, endsWithoutServer: true }
  const gateway = (response: ServerResponse) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>Bad Gateway</h1></html>') !== undefined
  const list = (response: ServerResponse) => json(response, [])
  const beforeThePrompt = 'before the prompt'
  const withThePrompt = 'with the prompt'

  it.each([
    ['/system_stats', 'a page', page, beforeThePrompt],
    ['/system_stats', 'a gateway error', gateway, beforeThePrompt],
    ['/system_stats', 'a list', list, beforeThePrompt],
    ['/upload/image', 'a gateway error', gateway, beforeThePrompt],
    ['/prompt', 'a page', page, beforeThePrompt],
    ['/prompt', 'a list', list, beforeThePrompt],
    ['/prompt', 'an object without prompt', (response: ServerResponse) => json(response, {}), beforeThePrompt],
    ['/prompt', 'a gateway error', gateway, withThePrompt],
    ['/queue', 'a page', page, withThePrompt],
    ['/queue', 'a list', list, withThePrompt],
    ['/history', 'a page', page, withThePrompt],
    ['/history', 'a gateway error', gateway, withThePrompt],
    ['/view', 'a gateway error', gateway, withThePrompt],
    ['/view', 'a page', page, withThePrompt],
  ])('answers %s with %s: its job goes to another', async (broken, _what, answer, when) => {
    const server = await recordedServer(EXCHANGE, {
      ...(broken === '/queue' ? { onPrompt: (socket) => socket.drop() } : {}),
      answer: ({ path }, response) => path.startsWith(broken) && answer(response),
    })
    const images = broken === '/upload/image' ? [{ name: 'a.png', image: 'AAAA' }] : []
    const input = JSON.stringify({ ...JSON.parse(INPUT), images })
    const running = runJob(input, { servers: [server.url], ...SEVERAL })
    await expect(running).rejects.toMatchObject({ when })
  })
})

describe('a server that is silent', () => {
  it('has ended the prompt without saying so: it is asked', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: () => {},
      answer: ({ path }, response) => path === '/queue' && json(response, queued([])),
    })
    expect((await run(server, { quietMs: 5 })).output).toEqual(lastImage)
  })

  it('answers no ping any more: the connection is opened again', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: () => {},
      answer: ({ path }, response) => path === '/queue' && json(response, queued([])),
    })
    const { output, log } = await run(server, { silenceMs: 20 })
    expect(output).toEqual(lastImage)
    expect(log[0]).toMatch(/was lost: the server sent nothing for 0.02 s$/)
  })

  it('has other prompts to do first: the log says so, once', async () => {
    const looks = () => server.asked.filter(({ path }) => path === '/queue').length
    const server = await recordedServer(EXCHANGE, {
      onPrompt: async (socket, replaying) => {
        await until(() => expect(looks()).toBeGreaterThan(2))
        replaying.replay(socket)
      },
      answer: ({ path }, response) => path === '/queue' && json(response, queued(['another'], [promptId])),
    })
    const { output, log } = await run(server, { quietMs: 5 })
    expect(output).toEqual(lastImage)
    expect(log).toEqual([`ComfyUI at ${new URL(server.url).host} is working on prompts of other clients.`])
  })

  it('pings, and is answered', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket, replaying) => {
        socket.ping()
        replaying.replay(socket)
      },
    })
    expect((await run(server)).output).toEqual(lastImage)
  })
})

describe('messages', () => {
  it('a picture of 200 MB costs a connection and no memory', async () => {
    const before = process.memoryUsage().rss
    let highest = before
    const server = await recordedServer(EXCHANGE, {
      onPrompt: async (socket, replaying) => {
        await socket.sendZeros(200 * 1024 * 1024)
        highest = process.memoryUsage().rss
        await until(() => expect(replaying.socket()).not.toBe(socket))
        replaying.replay(replaying.socket())
      },
    })
    const { output, log } = await run(server)
    expect(output).toEqual(lastImage)
    expect(log[0]).toMatch(/was lost: Max payload size exceeded$/)
    expect(highest - before).toBeLessThan(150 * 1024 * 1024)
  })

  it('previews over the limit are left out, which is said once', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket, replaying) => {
        replaying.replay(socket)
      },
    })
    const { progress, log } = await run(server, { previewBytes: 10, progressMs: 0 })
    expect(progress.filter(({ preview }) => preview !== undefined)).toEqual([])
    expect(log).toEqual([expect.stringMatching(/^Previews of more than/)])
  })

  it('that are no JSON, of other prompts, or of kinds that are not known, change nothing', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket, replaying) => {
        socket.send('{"type":')
        socket.send('{"type":"crystools.monitor","data":{"cpu":3}}')
        socket.send('{"type":"execution_interrupted","data":{"prompt_id":"another"}}')
        socket.send(Buffer.from([0, 0, 0, 3, 0, 0, 0, 1, 49, 65]))
        socket.send(Buffer.from([0, 0]))
        replaying.replay(socket)
      },
    })
    expect((await run(server)).output).toEqual(lastImage)
  })

  it('bytes that are no WebSocket end the connection, and the job continues by asking', async () => {
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket) => socket.sendRaw(Buffer.from('HTTP/1.1 400 Bad Request')),
      answer: ({ path }, response) => path === '/queue' && json(response, queued([])),
    })
    const { output, log } = await run(server)
    expect(output).toEqual(lastImage)
    expect(log[0]).toMatch(/was lost: Invalid WebSocket frame: RSV1 must be clear$/)
  })
})

describe('the id of a prompt', () => {
  it('is the one that the server gave: the bridge asks for none, and follows that', async () => {
    const [id, graph] = ['chosen-by-the-server', { outputs: { '9': { text: ['done'] } }, status: {} }]
    const server = await recordedServer(EXCHANGE, {
      answer: ({ path }, response) =>
        (path === '/prompt' && json(response, { prompt_id: id, number: 1, node_errors: {} })) ||
        (path === '/queue' && json(response, queued([]))) ||
        (path === `/history/${id}` && json(response, { [id]: graph })),
    })
    expect((await run(server, { quietMs: 5 })).output).toMatchObject({ images: [{ filename: '9_text.txt' }] })
    const sent = server.asked.find(({ path }) => path === '/prompt')
    expect(JSON.parse(sent?.body ?? '')).not.toHaveProperty('prompt_id')
  })
})

describe('a prompt that is interrupted on the server', () => {
  it('fails the job, with the node that it was at', async () => {
    const data = { prompt_id: promptId, node_id: '3', node_type: 'KSampler', executed: [] }
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket) => socket.send(JSON.stringify({ type: 'execution_interrupted', data })),
      answer: ({ path }, response) =>
        path.startsWith('/history') && json(response, { [promptId]: { outputs: {}, status: {} } }),
    })
    const sentence =
      'Workflow execution error: Node Type: KSampler, Node ID: 3, Message: it was interrupted on the server'
    expect((await run(server)).output.error).toEqual({
      reason: 'it was interrupted on the server',
      message: `Job processing failed: ${sentence}`,
      ...{ details: [sentence], node: '3', class: 'KSampler' },
    })
  })
})

describe('a job that is cancelled', () => {
  /** Cancels a job whose prompt is where the queue says. @returns what the server was told, after the prompt */
  async function cancelled(running: readonly string[], pending: readonly string[]) {
    const controller = new AbortController()
    const server = await recordedServer(EXCHANGE, {
      onPrompt: (socket, replaying) => replaying.replay(socket, 0, 12),
      answer: ({ method, path }, response) => {
        if (path === '/queue') return json(response, method === 'GET' ? queued(running, pending) : {})
        return path === '/interrupt' && json(response, {})
      },
    })
    const job = run(server, { signal: controller.signal, onProgress: () => controller.abort(new Error('cancelled')) })
    await expect(job).rejects.toThrow('cancelled')
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    const posts = server.asked.filter(({ method, path }) => method === 'POST' && path !== '/prompt')
    return posts.map(({ path, body }) => [path, JSON.parse(body)])
  }

  it('interrupts its prompt where it runs', async () => {
    expect(await cancelled([promptId], [])).toEqual([
      ['/queue', { delete: [promptId] }],
      ['/interrupt', { prompt_id: promptId }],
    ])
  })

  it('leaves the prompt of another alone, which older servers would interrupt in its place', async () => {
    expect(await cancelled(['another'], [])).toEqual([['/queue', { delete: [promptId] }]])
  })

  it('ends at once while the server is looked for', async () => {
    const controller = new AbortController()
    const server = await recordedServer(EXCHANGE)
    await server.die()
    const job = run(server, { signal: controller.signal, lookAttempts: 1000, lookIntervalMs: 60_000 })
    controller.abort(new Error('cancelled'))
    await expect(job).rejects.toThrow('cancelled')
  })
})

describe('results', () => {
  const VIEW = '/view?filename=drydock_00001_.png&subfolder=&type=output'

  it('that do not fit stay on the server, and their address is the result', async () => {
    const server = await recordedServer(EXCHANGE)
    const { output, log } = await run({ url: server.url.replace('//', '//me:hidden@') }, { resultBytes: 100 })
    expect(output).toEqual({
      images: [
        {
          filename: 'drydock_00001_.png',
          type: 's3_url',
          data: `${server.url}${VIEW}`,
          node: '9',
          mediaType: 'image/png',
        },
      ],
    })
    expect(log).toEqual([expect.stringMatching(/^drydock_00001_\.png stays on the server: only 0\.0 MiB were left/)])
  })

  it('that the server has lost are reported with its sentence', async () => {
    const server = await recordedServer(EXCHANGE, {
      answer: ({ path }, response) => path === VIEW && response.writeHead(404).end() !== undefined,
    })
    expect((await run(server)).output).toEqual({
      error:
        'Job processing failed: Failed to fetch image data for drydock_00001_.png from /view endpoint. The server answered HTTP 404.',
      details: [expect.stringContaining('HTTP 404')],
    })
  })

  it.each([
    ['an HTML page', 'drydock_00001_.png', page, 'an HTML page (HTTP 200): "Sign in to the router"'],
    ['a page in its place', 'model.safetensors', page, 'an HTML page (HTTP 200): "Sign in to the router"'],
    ['JSON', 'a.mp4', (to: ServerResponse) => json(to, { no: 1 }), 'a text (HTTP 200): "{"no":1}"'],
    ['a sound', 'a.png', (to: ServerResponse) => to.end('fLaC') !== null, 'a file of the type audio/flac (HTTP 200)'],
  ])('that come as %s are errors that name the server', async (_what, filename, send, sent) => {
    const outputs = { '9': { images: [{ filename, subfolder: '', type: 'output' }], text: ['kept'] } }
    const server = await recordedServer(EXCHANGE, {
      answer: ({ path }, response) =>
        (path.startsWith('/history') && json(response, { [promptId]: { outputs } })) ||
        (path.startsWith('/view') && send(response)),
    })
    const { output } = await run(server)
    expect(output).toEqual({
      images: [expect.objectContaining({ filename: '9_text.txt' })],
      errors: [
        `Failed to fetch image data for ${filename} from /view endpoint. The server at ${server.url}/ sent ${sent}.`,
      ],
    })
  })

  it('of all kinds and keys are taken, temporary ones and switches are not', async () => {
    const HEADS: Readonly<Record<string, string>> = { 'a.gif': 'GIF89a', 'b.fla': 'fLaC', 'c.glb': 'glTF' }
    const file = (filename: string, type = 'output') => ({ filename, subfolder: 'a b', type })
    const outputs = {
      '1': { gifs: [file('a.gif')], audio: [file('b.flac')], animated: [true], '3d': [file('c.glb')] },
      '2': { images: [file('t.png', 'temp'), { subfolder: '', type: 'output' }], text: ['one', 'two', ''], count: [3] },
    }
    const server = await recordedServer(EXCHANGE, {
      answer: ({ path }, response) =>
        (path.startsWith('/history') && json(response, { [promptId]: { outputs } })) ||
        (path.startsWith('/view') && response.writeHead(200).end(HEADS[path.slice(15, 20)]) !== undefined),
    })
    const { output } = await run(server)
    expect(output.images.map(({ filename, node }: Record<string, string>) => [filename, node])).toEqual([
      ['a.gif', '1'],
      ['b.flac', '1'],
      ['c.glb', '1'],
      ['2_text.txt', '2'],
      ['2_text_2.txt', '2'],
    ])
    expect(output.errors).toEqual([
      "Skipping image in node 2 due to missing filename: {'subfolder': '', 'type': 'output'}",
    ])
    expect(server.asked.map(({ path }) => path)).toContain('/view?filename=a.gif&subfolder=a+b&type=output')
  })
})
