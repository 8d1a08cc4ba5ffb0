/** The main process as it was built, run on Node with what stands for Electron. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { place, until } from './support.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'out', 'shell', 'main.js')
const FAKE = join(import.meta.dirname, 'use-fake-electron.mjs')

/** A record of the stand-in. */
// biome-ignore lint/suspicious/noExplicitAny: records of the stand-in, each of its own form, compared as they come
export type Seen = { readonly what: string; readonly [field: string]: any }

/** Runs the built main process on a fresh data folder, with what stands for Electron. */
export function started({
  main = MAIN,
  argv = [],
  env = {},
}: {
  main?: string
  argv?: readonly string[]
  env?: Readonly<Record<string, string>>
} = {}) {
  const { data, mark, marked } = place()
  const child = spawn(process.execPath, [FAKE, main, '--data', data, '--port', '0', ...argv], {
    env: { ...process.env, ...env, [mark.name]: mark.value },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const seen: Seen[] = []
  child.on('message', (message) => seen.push(message as Seen))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const all = (what: string) => seen.filter((one) => one.what === what)
  const reached = (what: string, times = 1) =>
    until(() => {
      const one = all(what)[times - 1]
      if (one === undefined) throw new Error(`no ${what}: ${JSON.stringify(seen)}`)
      return one
    })
  let lastId = 0
  async function play(name: string, fields: object = {}) {
    lastId += 1
    const id = lastId
    child.send({ play: name, id, ...fields })
    const played = await until(() => {
      const found = seen.find((one) => one.what === 'played' && one.id === id)
      if (found === undefined) throw new Error(`${name} was not played`)
      return found
    })
    if (played.error !== undefined) throw new Error(played.error)
    return played.result
  }
  return { data, child, seen, all, reached, play, ended, marked }
}
