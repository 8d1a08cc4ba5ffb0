/** What `drydock login` keeps. The Python package reads the same file: resources/python/svc/_service.py. */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Surroundings } from './surroundings.ts'

/** A service and the key to it; the key is sent to this address and no other. */
export type Login = { readonly url: string; readonly key: string }

type Place = Pick<Surroundings, 'env' | 'home'>

/** Path of the file: JSON with `url` and `key`, readable for its owner only. */
export function loginFile({ env, home }: Place): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'svc', 'credentials.json')
}

/** The login of this user; undefined where there is none, or the file cannot be read, as in Python. */
export async function readLogin(place: Place): Promise<Login | undefined> {
  try {
    const { url, key } = JSON.parse(await readFile(loginFile(place), 'utf8'))
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : undefined
  } catch {
    // Missing or damaged: nobody is logged in by it, which is what undefined says.
    return undefined
  }
}

/** Writes the login; a reader sees the old one or the new one, and never a key that others may read. */
export async function writeLogin(place: Place, login: Login): Promise<void> {
  const file = loginFile(place)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await chmod(dirname(file), 0o700) // it may have been there before
  const written = `${file}.${randomUUID()}`
  try {
    await writeFile(written, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(written, file)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}

/** Forgets the login. */
export async function removeLogin(place: Place): Promise<void> {
  await rm(loginFile(place), { force: true })
}
