import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src-main/database/open-database.ts'
import { createSeal, createSecretStore, keyInFile, keyInMemory } from '../../../src-main/database/secret-store.ts'

const VALUE = 'a value that must not be seen'

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  const db = openDatabase(join(folder, 'drydock.db'))
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const keyFile = join(folder, 'secrets.key')
  return { folder, db, keyFile, secrets: createSecretStore(db, keyInFile(keyFile)) }
}

describe('a secret', () => {
  it('is given back as it was put, also by a later run', () => {
    const { db, keyFile, secrets } = setup()
    const value = `${VALUE}\n é 🔑 "`
    secrets.put('registry', 'work', value, 5)
    expect(secrets.get('registry', 'work')).toBe(value)
    expect(createSecretStore(db, keyInFile(keyFile)).get('registry', 'work')).toBe(value)
  })

  it('is replaced by the next one of its name', () => {
    const { secrets } = setup()
    secrets.put('registry', 'work', 'old', 5)
    secrets.put('registry', 'work', 'new', 6)
    expect(secrets.get('registry', 'work')).toBe('new')
    expect(secrets.list('registry')).toEqual([{ name: 'work', updatedAt: 6 }])
  })

  it('is apart from those of the same name in other scopes', () => {
    const { secrets } = setup()
    secrets.put('registry', 'b', '1', 1)
    secrets.put('app', 'b', '2', 2)
    secrets.put('app', 'a', '3', 3)
    expect(secrets.list('app')).toEqual([
      { name: 'a', updatedAt: 3 },
      { name: 'b', updatedAt: 2 },
    ])
    expect(secrets.remove('app', 'b')).toBe(true)
    expect([secrets.get('registry', 'b'), secrets.get('app', 'b')]).toEqual(['1', undefined])
  })

  it('is gone when it was removed, and removed once', () => {
    const { secrets } = setup()
    secrets.put('registry', 'work', VALUE, 1)
    expect([secrets.remove('registry', 'work'), secrets.remove('registry', 'work')]).toEqual([true, false])
    expect(secrets.get('registry', 'work')).toBeUndefined()
  })

  it('is in no file of the data folder as it is, nor the same twice', () => {
    const { folder, db, secrets } = setup()
    secrets.put('registry', 'one', VALUE, 1)
    secrets.put('registry', 'two', VALUE, 1)
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name)).includes(VALUE)).toBe(false)
    const sealed = db.prepare<[], { sealed: Buffer }>('SELECT sealed FROM secrets').all()
    expect(sealed[0]?.sealed.equals(sealed[1]?.sealed ?? Buffer.alloc(0))).toBe(false)
  })

  it('that was copied to another name, or changed, does not open', () => {
    const { db, secrets } = setup()
    secrets.put('registry', 'work', VALUE, 1)
    db.exec(`INSERT INTO secrets SELECT scope, 'copy', nonce, sealed, updated_at FROM secrets WHERE name = 'work'`)
    expect(() => secrets.get('registry', 'copy')).toThrow('The secret copy of registry cannot be read')
    db.exec(`UPDATE secrets SET sealed = zeroblob(length(sealed)) WHERE name = 'work'`)
    expect(() => secrets.get('registry', 'work')).toThrow('The secret work of registry cannot be read')
  })
})

describe('a scope', () => {
  const SCOPES = [
    'variables/1/1',
    'variables/1/2',
    'variables/10/1',
    'variables/1',
    'registry',
    'variables/1/%',
    'VARIABLES/1/1',
  ]

  function setupScopes() {
    const { secrets } = setup()
    for (const scope of SCOPES) for (const name of ['a', 'b']) secrets.put(scope, name, VALUE, 1)
    return secrets
  }

  it('is found by what it begins with, each once and in order', () => {
    const secrets = setupScopes()
    expect(secrets.scopes('variables/1/')).toEqual(['variables/1/%', 'variables/1/1', 'variables/1/2'])
    expect(secrets.scopes('registry')).toEqual(['registry'])
    expect(secrets.scopes('')).toEqual([...SCOPES].sort())
  })

  it.each(['variables/_/', 'variables/%', '%', '*', 'variables/2/'])('is not found by the pattern %s', (prefix) => {
    expect(setupScopes().scopes(prefix)).toEqual([])
  })

  it('that is removed takes all its secrets along, and none of another', () => {
    const secrets = setupScopes()
    secrets.removeScope('variables/1/%')
    secrets.removeScope('variables/1')
    expect(secrets.list('variables/1')).toEqual([])
    expect(secrets.scopes('')).toEqual(
      SCOPES.filter((scope) => !['variables/1/%', 'variables/1'].includes(scope)).sort(),
    )
    expect(secrets.get('variables/1/1', 'a')).toBe(VALUE)
  })
})

describe('the key of the secrets', () => {
  it('is made with the first secret, for its user alone', () => {
    const { keyFile, secrets } = setup()
    expect(secrets.get('registry', 'work')).toBeUndefined()
    expect(existsSync(keyFile)).toBe(false)
    secrets.put('registry', 'work', VALUE, 1)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  })

  it('that is missing or different makes the secrets unreadable, which is reported', () => {
    const { db, keyFile, secrets } = setup()
    secrets.put('registry', 'work', VALUE, 1)
    rmSync(keyFile)
    const lost = /file secrets\.key of the data folder is missing or not the one it was stored with/
    expect(() => createSecretStore(db, keyInFile(keyFile)).get('registry', 'work')).toThrow(lost)
    expect(() => createSecretStore(db, keyInMemory()).get('registry', 'work')).toThrow(lost)
  })

  it('is not made anew over a file that holds something else', () => {
    const { keyFile, secrets } = setup()
    writeFileSync(keyFile, 'not a key')
    expect(() => secrets.put('registry', 'work', VALUE, 1)).toThrow('does not hold the key of the secrets')
    expect(readFileSync(keyFile, 'utf8')).toBe('not a key')
  })
})

it('a sealed value opens under its own name and with its own key alone', () => {
  const name = { scope: 'job a', name: 's3Config' }
  const { close, open } = createSeal(keyInMemory())
  const sealed = close(name, VALUE)
  expect(sealed).not.toContain(VALUE)
  expect(close(name, VALUE)).not.toBe(sealed)
  expect(open(name, sealed)).toBe(VALUE)
  for (const wrong of [
    () => open({ ...name, scope: 'job b' }, sealed),
    () => createSeal(keyInMemory()).open(name, sealed),
    () => open(name, ''),
  ])
    expect(wrong).toThrow(expect.objectContaining({ code: 'SECRET_LOST' }))
})
