/**
 * Account secrets of the platform's tools. Settings contain `{{ RUNPOD_SECRET_name }}`; workers get the value when they
 * start. Source: the public package runpod 2.0, its secrets.
 */
import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { SECRET_REFERENCE } from '../platform-api/rules/secret-reference.ts'

const SCOPE = 'account'

const stored = z.object({ value: z.string(), description: z.string(), createdAt: z.number() })

/** A secret without its value; `createdAt` is wall ms. */
export type AccountSecret = { readonly name: string; readonly description: string; readonly createdAt: number }

type Deps = { readonly storage: Pick<Storage, 'secrets' | 'write'>; readonly clock: Pick<Clock, 'now'> }

export async function createSecret(
  { storage, clock }: Deps,
  { name, value, description }: { readonly name: string; readonly value: string; readonly description: string },
): Promise<AccountSecret> {
  if (!/^[A-Za-z0-9_.-]{1,255}$/.test(name))
    throw new AppError('BAD_FIELD', { field: 'name', why: 'must be letters, digits, dots, hyphens and underscores' })
  const createdAt = clock.now()
  await storage.write(() => {
    if (storage.secrets.list(SCOPE).some((other) => other.name === name))
      throw new AppError('BAD_FIELD', { field: 'name', why: 'is the name of a secret already. Delete that one first' })
    storage.secrets.put(SCOPE, name, JSON.stringify({ value, description, createdAt }), createdAt)
  })
  return { name, description, createdAt }
}

export function listSecrets({ storage }: Pick<Deps, 'storage'>): readonly AccountSecret[] {
  return storage.secrets.list(SCOPE).flatMap(({ name }) => {
    const found = read(storage, name)
    return found === undefined ? [] : [{ name, description: found.description, createdAt: found.createdAt }]
  })
}

export async function deleteSecret({ storage }: Pick<Deps, 'storage'>, name: string): Promise<boolean> {
  return await storage.write(() => storage.secrets.remove(SCOPE, name))
}

/**
 * Inserts secret values into an environment.
 * @throws Error for the user if one is not stored; AppError SECRET_LOST
 */
export function withSecrets(
  storage: Pick<Storage, 'secrets'>,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (!Object.values(env).some((value) => value.includes(OPENING))) return env
  return Object.fromEntries(
    Object.entries(env).map(([variable, value]) => [
      variable,
      value.replace(SECRET_REFERENCE, (_whole, name: string) => {
        const found = read(storage, name)
        if (found === undefined)
          throw new Error(
            `its variable ${variable} names the secret ${name}, which is not stored: rp secret add ${name}`,
          )
        return found.value
      }),
    ]),
  )
}

export function accountSecretValues(storage: Pick<Storage, 'secrets'>): readonly string[] {
  return storage.secrets.list(SCOPE).flatMap(({ name }) => read(storage, name)?.value ?? [])
}

const OPENING = '{{'

function read(storage: Pick<Storage, 'secrets'>, name: string): z.infer<typeof stored> | undefined {
  const text = storage.secrets.get(SCOPE, name)
  return text === undefined ? undefined : stored.parse(JSON.parse(text))
}
