import { expect, test } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { codeEntryOf } from '../../../../src-main/features/workers/rules/code-entry.ts'

const entryOf = (settings: object) => codeEntryOf(endpointConfig.parse({ name: 'e', ...settings }))

test('the handler is watched, in a container too', () => {
  const entry = { folder: '/home/ada', file: 'live.py' }
  expect(entryOf({ handler: '/home/ada/live.py' })).toEqual(entry)
  expect(entryOf({ handler: '/home/ada/live.py', container: {} })).toEqual(entry)
  expect(entryOf({ handler: '/live.py' })).toEqual({ folder: '/', file: 'live.py' })
})

test('the file or the module that a command names is watched', () => {
  const of = (command: string) => entryOf({ command, cwd: '/app' })
  expect(of('python3 -u my_worker.py --port 1')).toEqual({ folder: '/app', file: 'my_worker.py' })
  expect(of('MODEL=a python ./src/worker.py')).toEqual({ folder: '/app/src', file: 'worker.py' })
  expect(of('python "/other/my worker.py"')).toEqual({ folder: '/other', file: 'my worker.py' })
  expect(of('uvicorn app:app --port $PORT')).toEqual({ folder: '/app', file: 'app.py', isModule: true })
  expect(of('uvicorn shop.web:create() --factory')).toEqual({ folder: '/app', file: 'shop/web.py', isModule: true })
  expect(of('python -m shop.worker')).toEqual({ folder: '/app', file: 'shop/worker.py', isModule: true })
  expect(of('python -m http.server 80')).toEqual({ folder: '/app', file: 'http/server.py', isModule: true })
  expect(of('python -m uvicorn shop.web:app')).toEqual({ folder: '/app', file: 'shop/web.py', isModule: true })
  expect(of('gunicorn -c gunicorn.conf.py shop.web:app')).toEqual({
    folder: '/app',
    file: 'shop/web.py',
    isModule: true,
  })
  expect(of('python -m accelerate.commands.launch train.py')).toEqual({ folder: '/app', file: 'train.py' })
  expect(of('./serve --port 80')).toBeUndefined()
})

test('nothing is watched of a release, of an image, of a server that reloads by itself, and where it is switched off', () => {
  const app = { name: 'shop', environment: 'production', resource: 'web', code: '', variables: 0 }
  expect(entryOf({ handler: '/live.py', app })).toBeUndefined()
  expect(entryOf({ handler: '/live.py', reloadOnSave: false })).toBeUndefined()
  expect(entryOf({ command: 'python app.py', cwd: '/app', container: { image: 'a' } })).toBeUndefined()
  expect(entryOf({ command: 'uvicorn app:app --reload', cwd: '/app' })).toBeUndefined()
  expect(entryOf({ command: 'python app.py' })).toBeUndefined()
})
