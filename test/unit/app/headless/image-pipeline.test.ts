import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createImagePipeline } from '../../../../src-main/app/headless/image-pipeline.ts'
import { graphHash } from '../../../../src-main/features/worker-images/adapters/hash-model.ts'
import { writeLock } from '../../../../src-main/features/worker-images/rules/lock-file.ts'
import { objectOf } from '../../../support/workflow-files.ts'
import { lockOf } from '../../features/worker-images/support.ts'
import { temporaryFolder } from '../cli/support.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../../../src-main/app/${path}`, import.meta.url))
const PIPELINE = pathOf('headless/image-pipeline.ts')
const CLI = pathOf('cli/main.ts')

async function isThere(folder: string, name: string): Promise<void> {
  const watcher = watch(folder)
  while (!existsSync(join(folder, name))) await once(watcher, 'change')
  watcher.close()
}

test('the command of a build learns that its service was killed, and the next service removes its files', async () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  const command = join(folder, 'command.mjs')
  const write = (name: string) => `writeFileSync(${JSON.stringify(join(folder, name))}, '')`
  writeFileSync(
    command,
    `import { writeFileSync } from 'node:fs'
    ${write('started')}
    process.stdin.resume().once('close', () => ${write('ended')})`,
  )
  const service = join(folder, 'service.mjs')
  writeFileSync(
    service,
    `import { createImagePipeline } from ${JSON.stringify(PIPELINE)}
    const commandLine = { program: process.execPath, args: [${JSON.stringify(command)}], env: process.env }
    const about = { commandLine, data: ${JSON.stringify(data)}, service: () => ({ url: '', key: '' }) }
    const watch = { report() {}, signal: new AbortController().signal }
    await createImagePipeline(about).build({ text: '{}', bake: 'small', lockText: '', tag: 'cat:1' }, watch)`,
  )
  const child = spawn(process.execPath, [service], { stdio: 'inherit' })
  await isThere(folder, 'started')
  child.kill('SIGKILL')
  await isThere(folder, 'ended')
  expect(readdirSync(join(data, 'images'))).toHaveLength(1)
  createImagePipeline({
    commandLine: { program: '', args: [], env: {} },
    data,
    service: () => ({ url: '', key: '' }),
  })
  expect(existsSync(join(data, 'images'))).toBe(false)
})

test('a command that a service started stops when its input ends', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'cat.json'), '{"1":{"class_type":"SaveImage","inputs":{}}}')
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const child = spawn(
    process.execPath,
    [CLI, 'workflow', 'lock', 'cat.json', '--comfyui', `https://127.0.0.1:${port}/ComfyUI@main`, '--json'],
    {
      cwd: folder,
      env: { ...process.env, DRYDOCK_END_WITH_INPUT: 'yes', HOME: folder },
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  )
  const [[socket]] = await Promise.all([once(silent, 'connection')])
  child.stdin.end()
  const [output] = await Promise.all([child.stderr.setEncoding('utf8').toArray(), once(child, 'close')])
  expect(output.join('')).toContain('ABANDONED')
  socket.destroy()
  silent.close()
})

test('an update of the lock of the same graph is one command', async () => {
  const folder = temporaryFolder()
  const command = join(folder, 'command.mjs')
  const ran = join(folder, 'ran')
  const sha256 = graphHash(objectOf('{"1":{}}'))
  const lock = lockOf({ workflow: { file: 'workflow.json', sha256 } })
  writeFileSync(
    command,
    `import { appendFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(ran)}, process.argv.slice(4, 6).join(' ') + '\\n')
    console.log(${JSON.stringify(JSON.stringify({ lock, conflicts: [] }))})`,
  )
  writeFileSync(ran, '')
  const commandLine = { program: process.execPath, args: [command], env: process.env }
  const pipeline = createImagePipeline({ commandLine, data: folder, service: () => ({ url: '', key: '' }) })
  const watch = { report: () => undefined, signal: new AbortController().signal }
  const previous = writeLock(lock)
  const asked = { previous, update: ['ink'], sources: {}, base: {} }
  await pipeline.lock({ ...asked, text: '{ "1": {} }' }, watch)
  expect(readFileSync(ran, 'utf8')).toBe('workflow.lock.yaml --update=ink\n')
  await pipeline.lock({ ...asked, text: '{ "2": {} }' }, watch)
  expect(readFileSync(ran, 'utf8').trim().split('\n').slice(1)).toEqual([
    'workflow.json --output',
    'workflow.lock.yaml --update=ink',
  ])
})

test('the base image, its Python and the place of the workers go to the command', async () => {
  const folder = temporaryFolder()
  const command = join(folder, 'command.mjs')
  const ran = join(folder, 'ran')
  writeFileSync(
    command,
    `import { writeFileSync } from 'node:fs'
    writeFileSync(${JSON.stringify(ran)}, process.argv.join(' '))
    writeFileSync('workflow.lock.yaml', ${JSON.stringify(writeLock(lockOf({})))})
    console.log(${JSON.stringify(JSON.stringify({ lock: lockOf({}), conflicts: [] }))})`,
  )
  const commandLine = { program: process.execPath, args: [command], env: process.env }
  const pipeline = createImagePipeline({ commandLine, data: folder, service: () => ({ url: '', key: '' }) })
  const asked = { text: '{}', update: [], sources: {}, base: { image: 'cuda:13', python: '3.13' } }
  const watch = { report: () => undefined, signal: new AbortController().signal }
  await pipeline.lock({ ...asked, worker: 'anywhere' }, watch)
  expect(readFileSync(ran, 'utf8')).toContain(' --base=cuda:13 --python=3.13 --no-local ')
  await pipeline.lock({ ...asked, base: {}, worker: 'local' }, watch)
  expect(readFileSync(ran, 'utf8')).toMatch(/ --local (?!--python)/)
})
