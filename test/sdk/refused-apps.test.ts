/** Builds refuse the apps that the unmodified package refuses, in its words. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'

const PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))
const REFUSE = fileURLToPath(new URL('python/refuse_apps.py', import.meta.url))
const APP = 'import runpod\nfrom runpod import App, GlobalVolume, NetworkVolume, Secret\n\napp = App("shop")\n'

const queue = (parameters: string) => `${APP}@app.queue(name="work", ${parameters})\ndef work(): ...\n`
const task = (parameters: string) => `${APP}@app.task(name="work", ${parameters})\ndef work(): ...\n`
const api = (methods: string) =>
  `${APP}@app.api()\nclass Web:\n    @runpod.get("/ok")\n    def ok(self): ...\n${methods.replaceAll(/^/gm, '    ')}\n`

/** Programs that the package refuses when it is imported. */
const REFUSED: Readonly<Record<string, string>> = {
  'a class without routes': `${APP}@app.api()\nclass Web:\n    def ok(self): ...\n`,
  'a route twice': api('@runpod.get("/ok")\ndef again(self): ...'),
  'two inits': api('@runpod.init\ndef a(self): ...\n@runpod.init\ndef b(self): ...'),
  'a path without a slash': api('@runpod.post("a")\ndef a(self): ...'),
  'a path that is no text': api('@runpod.put(1)\ndef a(self): ...'),
  'an empty path': api('@runpod.delete("")\ndef a(self): ...'),
  'the path /ping': api('@runpod.get("/ping")\ndef a(self): ...'),
  'the path /execute': api('@runpod.patch("/execute")\ndef a(self): ...'),
  'the path of live sources': api('@runpod.post("/_runpod/sync")\ndef a(self): ...'),
  'an api with a parameter of queues': `${APP}@app.api(max_concurrency=2)\ndef web(): ...\n`,
  'a position': `${APP}@app.api("web")\ndef web(): ...\n`,
  'two positions': `${APP}@app.queue("work", "L4")\ndef work(): ...\n`,
  'an unknown parameter': queue('volume="x"'),
  'a name twice': `${APP}@app.queue(name="one")\ndef work(): ...\n@app.task(name="one")\ndef other(): ...\n`,
  'an app without a name': 'import runpod\napp = runpod.App()\n@app.queue()\ndef work(): ...\n',
  'an app with an empty name': 'import runpod\napp = runpod.App("")\n@app.queue()\ndef work(): ...\n',
  'gpu and cpu': queue('gpu="L4", cpu="cpu3c-1-2"'),
  'an unknown gpu': queue('gpu="L3"'),
  'a gpu that is no text': queue('gpu=4090'),
  'a cpu that is no text': queue('cpu=3'),
  'no cpu': queue('cpu=[]'),
  'no gpu': queue('gpu_count=0'),
  'workers of text': queue('workers="two"'),
  'no workers': queue('workers=0'),
  'fewer than no workers': queue('workers=(-1, 2)'),
  'more workers at least than at most': queue('workers=(3, 2)'),
  'an unknown scaler': queue('scaler_type="REQUESTS"'),
  'scaling at nothing': queue('scaler_value=0'),
  'an unknown CUDA version': queue('min_cuda_version="9.0"'),
  'CUDA without a gpu': queue('cpu="cpu3c-1-2", min_cuda_version="12.8"'),
  'an unknown data center': queue('datacenter="MOON-1"'),
  'no concurrency': queue('max_concurrency=0'),
  'a negative timeout': queue('execution_timeout_ms=-1'),
  'no disk': queue('container_disk_gb=0'),
  'a model of a task': task('model="owner/name"'),
  'a queue with another mount': queue('mounts={"/data": NetworkVolume("n")}'),
  'a relative mount': task('mounts={"data": NetworkVolume("n")}'),
  'a mount with ..': task('mounts={"/a/../b": NetworkVolume("n")}'),
  'mounts inside each other': task('mounts={"/a": NetworkVolume("n"), "/a/b": GlobalVolume("g")}, gpu="L4"'),
  'a path in two forms': task('mounts={"/a": NetworkVolume("n"), "/a/": GlobalVolume("g")}, gpu="L4"'),
  'two network volumes': task('mounts={"/a": NetworkVolume("n"), "/b": NetworkVolume("m")}'),
  'a mount of text': task('mounts={"/a": "n"}'),
  'mounts in a list': task('mounts=["/a"]'),
  'a global volume on a cpu': task('mounts={"/a": GlobalVolume("g")}, cpu="cpu3c-1-2"'),
  'a volume without a name': task('mounts={"/a": NetworkVolume("")}'),
  'a secret with a space': queue('env={"A": Secret("a b")}'),
  'a secret without a name': queue('env={"A": Secret("")}'),
  'an empty cron pattern': `${APP}@app.queue()\n@runpod.schedule(cron="")\ndef work(): ...\n`,
  'a schedule without cron': `${APP}@app.queue()\n@runpod.schedule()\ndef work(): ...\n`,
  'a cron pattern in position': `${APP}@app.queue()\n@runpod.schedule("* * * * *")\ndef work(): ...\n`,
}

/** Programs that the package takes, and that builds warn about. */
const TAKEN: Readonly<Record<string, readonly [source: string, ...warnings: string[]]>> = {
  'a route with a body': [api('@runpod.post("/a")\ndef a(self, body: dict): ...')],
  'a GET route with a parameter': [api('@runpod.get("/a")\ndef a(self, q: str): ...'), 'route-refused-later'],
  'a path with a parameter': [api('@runpod.get("/a/{n}")\ndef a(self): ...'), 'route-refused-later'],
  'a body with a default': [api('@runpod.post("/a")\ndef a(self, body=None): ...'), 'route-refused-later'],
  'a body of another type': [api('@runpod.put("/a")\ndef a(self, body: str): ...'), 'route-refused-later'],
  'two bodies': [api('@runpod.patch("/a")\ndef a(self, one, two): ...'), 'route-refused-later'],
  'a mount of a task at a path of its own': [task('mounts={"/a//b/": NetworkVolume("n")}')],
}

type Answer = { readonly theirs: string | null; readonly ours: readonly string[]; readonly warned: readonly string[] }

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!packages.ready, packages.reason))

function answersTo(sources: readonly string[]): Promise<readonly Answer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Answer[]>()
  const env = { ...process.env, PYTHONPATH: PACKAGES }
  const child = execFile(packages.python, ['-W', 'ignore', REFUSE], { env }, (error, stdout) =>
    error === null ? resolve(JSON.parse(stdout)) : reject(error),
  )
  child.stdin?.end(JSON.stringify(sources))
  return promise
}

test('a build refuses the apps that the package refuses, with the same messages', async () => {
  const answers = await answersTo(Object.values(REFUSED))
  const names = Object.keys(REFUSED)
  expect(Object.fromEntries(answers.map(({ ours }, at) => [names[at], ours]))).toEqual(
    Object.fromEntries(answers.map(({ theirs }, at) => [names[at], [theirs]])),
  )
})

test('a build accepts the apps that the package accepts, and warns of routes that its next release refuses', async () => {
  const answers = await answersTo(Object.values(TAKEN).map(([source]) => source))
  const names = Object.keys(TAKEN)
  expect(Object.fromEntries(answers.map((answer, at) => [names[at], answer]))).toEqual(
    Object.fromEntries(
      Object.entries(TAKEN).map(([name, [, ...warned]]) => [name, { theirs: null, ours: [], warned }]),
    ),
  )
})

test('a schedule is refused when it is deployed, by the package and here', async () => {
  const [answer] = await answersTo([`${APP}@app.queue()\n@runpod.schedule(cron="0 3 * * *")\ndef work(): ...\n`])
  expect(answer).toEqual({
    theirs:
      'recurring schedules are not yet supported by the runpod api. the @schedule decorator records intent but cannot be deployed.',
    ours: [],
    warned: [],
  })
})
