import { describe, expect, it } from 'vitest'
import {
  argumentWarnings,
  readBuildArgument,
  readBuildSecret,
  readBuildSource,
  sourceName,
} from '../../../../src-main/features/worker-images/rules/build-source.ts'

const HERE = ['worker', './worker', '/work/worker', 'odd#name', 'bare.git', '.']
const read = (text: string) => readBuildSource(text, (path) => HERE.includes(path))

describe('the source of an image', () => {
  it.each([
    ['worker', { kind: 'folder', folder: 'worker' }],
    ['odd#name', { kind: 'folder', folder: 'odd#name' }],
    [
      'https://git.example.com/ada/w.git',
      { kind: 'git', address: 'https://git.example.com/ada/w.git', isLocal: false },
    ],
    ['https://git.example.com/w#v1.2', { address: 'https://git.example.com/w', ref: 'v1.2', folder: '' }],
    ['https://git.example.com/w#v1:a/b', { ref: 'v1', folder: 'a/b' }],
    ['https://git.example.com/w#:a', { ref: undefined, folder: 'a' }],
    ['ssh://git@git.example.com:2222/w.git#main', { address: 'ssh://git@git.example.com:2222/w.git', ref: 'main' }],
    ['git@git.example.com:ada/w.git#feature/x', { address: 'git@git.example.com:ada/w.git', ref: 'feature/x' }],
    ['file:///srv/w.git', { kind: 'git', isLocal: true }],
    ['worker#main:sub', { kind: 'git', address: 'worker', ref: 'main', folder: 'sub', isLocal: true }],
    ['bare.git#', { kind: 'git', address: 'bare.git', ref: undefined, isLocal: true }],
  ])('%s is read', (text, source) => {
    expect(read(text)).toMatchObject(source)
  })

  it.each([
    ['missing', 'There is no folder missing.'],
    ['missing#main', 'There is no folder missing#main.'],
    ['ext::sh -c touch% /tmp/owned', 'Addresses with ext: are not allowed'],
    ['fd::7', 'Addresses with fd: are not allowed'],
    ['git://git.example.com/w', 'Addresses with git: are not allowed'],
    ['http://git.example.com/w', 'Addresses with http: are not allowed'],
    ['EXT::sh', 'Addresses with ext: are not allowed'],
    ['--upload-pack=touch /tmp/owned', 'is neither a folder'],
    ['ssh://-oProxyCommand=touch/w', 'is not an address'],
    ['git@-oProxyCommand=x:w', 'There is no folder'],
    ['https://ada:hunter22@git.example.com/w', 'contains a password'],
    ['https://git.example.com/w#--upload-pack=x', 'is not the name of a branch'],
    ['https://git.example.com/w#a..b', 'is not the name of a branch'],
    ['https://git.example.com/w#a b', 'is not the name of a branch'],
    ['https://git.example.com/w#+refs/heads/*:x', 'is not the name of a branch'],
    ['https://git.example.com/w#main:../etc', 'is outside the repository'],
    ['https://git.example.com/a b', 'is not an address'],
  ])('%s is refused', (text, problem) => {
    expect(read(text)).toEqual({ problem: expect.stringContaining(problem) })
  })

  it.each([
    ['worker', 'worker'],
    ['https://git.example.com/ada/sdxl.git', 'sdxl'],
    ['git@git.example.com:sdxl.git', 'sdxl'],
    ['https://git.example.com/ada/workers#v1:image/flux', 'flux'],
  ])('%s gives the name %s', (text, name) => {
    const source = read(text)
    expect('kind' in source && sourceName(source)).toBe(name)
  })
})

describe('a build argument', () => {
  it.each([
    ['A=1', ['A', '1']],
    ['A=', ['A', '']],
    ['A=b=c', ['A', 'b=c']],
    ['SET', ['SET', 'here']],
    ['UNSET', undefined],
    ['=1', { problem: '"=1" is not a build argument. Write NAME=VALUE.' }],
    ['-A=1', { problem: '"-A=1" is not a build argument. Write NAME=VALUE.' }],
  ])('%s is read', (text, expected) => {
    expect(readBuildArgument(text, { SET: 'here' })).toEqual(expected)
  })

  it('with the name of a secret is warned of, and no other', () => {
    const secrets = [
      'HF_TOKEN',
      'token',
      'API_KEY',
      'OPENAI_APIKEY',
      'DB_PASSWORD',
      'AWS_SECRET_ACCESS_KEY',
      'MY_CREDENTIALS',
    ]
    const others = ['VERSION', 'AUTHOR', 'KEYBOARD', 'TOKENIZER', 'PUBLIC_KEY', 'PATCH', 'HTTP_PROXY']
    const warnings = argumentWarnings([...secrets, ...others])
    expect(warnings).toHaveLength(secrets.length)
    expect(warnings[0]).toContain('HF_TOKEN looks like a secret')
    expect(warnings[0]).toContain('--secret id=HF_TOKEN,env=HF_TOKEN')
  })
})

describe('a secret', () => {
  it.each([
    ['id=a,src=b/c', { id: 'a', file: 'b/c' }],
    ['id=a,source=b', { id: 'a', file: 'b' }],
    ['id=a,env=B', { id: 'a', variable: 'B' }],
    ['type=env,id=a,src=B', { id: 'a', variable: 'B' }],
    ['type=file,id=a,src=B', { id: 'a', file: 'B' }],
    ['id=HF_TOKEN', { id: 'HF_TOKEN', variable: 'HF_TOKEN' }],
    ['src=b', { problem: expect.stringContaining('needs an id') }],
    ['id=../a,src=b', { problem: expect.stringContaining('needs an id') }],
    ['id=a,src=b,env=c', { problem: expect.stringContaining('not from both') }],
    ['id=a,mode=1', { problem: expect.stringContaining('unknown field mode') }],
    ['id=a,src=', { problem: expect.stringContaining('has no name') }],
  ])('%s is read', (text, expected) => {
    expect(readBuildSecret(text)).toEqual(expected)
  })
})
