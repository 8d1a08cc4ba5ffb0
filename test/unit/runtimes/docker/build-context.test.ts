import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { extract, type Header } from 'tar-stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createIgnore, openBuildContext } from '../../../../src-main/runtimes/docker/build-context.ts'

type Content = string | { readonly link: string } | { readonly mode: number }

/** A folder with these files, and with a Dockerfile if none is among them. */
function folderOf(files: Readonly<Record<string, Content>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-context-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries<Content>({ Dockerfile: 'FROM scratch\n', ...files })) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (typeof content === 'string') writeFileSync(path, content)
    else if ('link' in content) symlinkSync(content.link, path)
    else {
      writeFileSync(path, '')
      chmodSync(path, content.mode)
    }
  }
  return folder
}

type Options = Partial<Parameters<typeof openBuildContext>[0]>

async function sentOf(folder: string, options: Options = {}) {
  const context = await openBuildContext({ folder, dockerfile: join(folder, 'Dockerfile'), ...options })
  const entries: (Header & { readonly content: string })[] = []
  const reader = context.archive.pipe(extract())
  context.archive.once('error', (error) => reader.destroy(error))
  for await (const entry of reader) entries.push({ ...entry.header, content: await text(entry) })
  return { ...context, entries, names: entries.map(({ name }) => name) }
}

describe('a build context', () => {
  it('is the folder with its links, modes and times, all of root', async () => {
    const folder = folderOf({
      'run.sh': { mode: 0o755 },
      'tmp/shared': { mode: 0o1664 },
      'to-run': { link: 'run.sh' },
      dangling: { link: '../nowhere' },
      'ünïcode/a name with a space': 'text',
      [`${'deep/'.repeat(40)}file`]: 'x',
    })
    utimesSync(join(folder, 'run.sh'), 1_000_000, 1_000_000)
    const { entries, names, sent } = await sentOf(folder)
    const found = Object.fromEntries(entries.map((entry) => [entry.name, entry]))
    expect(found['run.sh']).toMatchObject({ mode: 0o755, uid: 0, gid: 0, type: 'file', mtime: new Date(1e9) })
    expect(found['tmp/shared']).toMatchObject({ mode: 0o1664 })
    expect(found['to-run']).toMatchObject({ type: 'symlink', linkname: 'run.sh' })
    expect(found.dangling).toMatchObject({ type: 'symlink', linkname: '../nowhere' })
    expect(found['ünïcode/a name with a space']?.content).toBe('text')
    expect(names).toContain(`${'deep/'.repeat(40)}file`)
    expect(sent()).toEqual({ files: 5, bytes: 18 })
  })

  it('has neither sockets nor the files behind links', async () => {
    const folder = folderOf({ 'inside/a': 'a', link: { link: 'inside' } })
    const server = createServer().listen(join(folder, 'socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    expect((await sentOf(folder)).names).toEqual(['Dockerfile', 'inside/', 'inside/a', 'link'])
  })

  it('is the same archive each time if all files get one time', async () => {
    const folder = folderOf({ a: 'a', 'b/c': 'c' })
    const mtime = new Date(1_700_000_000_000)
    const read = async () => {
      const { archive } = await openBuildContext({ folder, dockerfile: join(folder, 'Dockerfile'), mtime })
      return text(archive)
    }
    const before = await read()
    utimesSync(join(folder, 'a'), 5, 5)
    expect(await read()).toBe(before)
  })

  it('leaves out what .dockerignore names, and brings back exceptions with their folders', async () => {
    const folder = folderOf({
      '.dockerignore': '# comment\n**\n!src/keep\n!Dockerfile\n',
      'src/keep/a': 'a',
      'src/other': 'b',
      'models/big': 'c',
    })
    expect((await sentOf(folder)).names).toEqual(['Dockerfile', 'src/', 'src/keep/', 'src/keep/a'])
  })

  it('has the Dockerfile even if it is left out', async () => {
    const folder = folderOf({ '.dockerignore': '*\n', 'docker/Dockerfile': 'FROM scratch\n', 'docker/other': '' })
    const { names, dockerfile } = await sentOf(folder, { dockerfile: join(folder, 'docker/Dockerfile') })
    expect(dockerfile).toBe('docker/Dockerfile')
    expect(names).toEqual(['docker/', 'docker/Dockerfile'])
  })

  it('follows the ignore file of the Dockerfile instead of that of the folder', async () => {
    const folder = folderOf({
      '.dockerignore': 'a\n',
      'test.Dockerfile': 'FROM scratch\n',
      'test.Dockerfile.dockerignore': 'b\n',
      a: '',
      b: '',
    })
    const { names } = await sentOf(folder, { dockerfile: join(folder, 'test.Dockerfile') })
    expect(names).toContain('a')
    expect(names).not.toContain('b')
  })

  it('takes a Dockerfile outside the folder, with the ignore file next to it', async () => {
    const folder = folderOf({ a: '', b: '' })
    const other = folderOf({ Dockerfile: 'FROM other\n', 'Dockerfile.dockerignore': 'Dockerfile\nb\n' })
    const { names, entries, dockerfile } = await sentOf(folder, { dockerfile: join(other, 'Dockerfile') })
    expect(names).toEqual(['a', dockerfile])
    expect(dockerfile).toMatch(/^\.dockerfile-[0-9a-f]{12}$/)
    expect(entries.at(-1)?.content).toBe('FROM other\n')
  })

  it('of a clone has no files of git and follows no link out of it', async () => {
    const secret = folderOf({ Dockerfile: 'FROM stolen\n' })
    const folder = folderOf({ '.git/config': 'x', 'sub/.git': 'gitdir: ..', '.dockerignore': '!.git\n', 'sub/a': '' })
    const { names } = await sentOf(folder, { isClone: true })
    expect(names).toEqual(['.dockerignore', 'Dockerfile', 'sub/', 'sub/a'])
    symlinkSync(join(secret, 'Dockerfile'), join(folder, 'Stolen'))
    await expect(sentOf(folder, { isClone: true, dockerfile: join(folder, 'Stolen') })).rejects.toThrow(
      'is a link to a path outside the repository',
    )
    symlinkSync(join(secret, 'Dockerfile'), join(folder, 'Dockerfile.dockerignore'))
    await expect(sentOf(folder, { isClone: true })).rejects.toThrow('is a link to a path outside the repository')
  })

  it('of a clone is not compared for years', async () => {
    const files = { [`${'a'.repeat(200)}`]: '', '.dockerignore': `${'*a'.repeat(9)}*b\n` }
    await expect(sentOf(folderOf(files), { isClone: true })).rejects.toThrow('has too many stars')
    const usual = folderOf({ '.dockerignore': '**/build/**/*.py\n*.test.*\n', 'a.test.py': '', 'b.py': '' })
    expect((await sentOf(usual, { isClone: true })).names).toEqual(['.dockerignore', 'Dockerfile', 'b.py'])
  })

  it('names a folder, a Dockerfile or a file that cannot be read', async () => {
    const folder = folderOf({})
    await expect(sentOf(join(folder, 'missing'))).rejects.toThrow(`there is no folder ${join(folder, 'missing')}`)
    await expect(sentOf(folder, { dockerfile: join(folder, 'nowhere') })).rejects.toThrow('there is no Dockerfile')
  })

  it('does not hold a large file in memory', async () => {
    const folder = folderOf({ large: '' })
    const bytes = 200 * 1024 * 1024
    truncateSync(join(folder, 'large'), bytes)
    const { archive, sent } = await openBuildContext({ folder, dockerfile: join(folder, 'Dockerfile') })
    const before = process.memoryUsage.rss()
    let [most, received] = [0, 0]
    for await (const piece of archive) {
      received += piece.length
      most = Math.max(most, process.memoryUsage.rss() - before)
    }
    expect(received).toBeGreaterThan(bytes)
    expect(sent()).toEqual({ files: 2, bytes: bytes + 13 })
    expect(most).toBeLessThan(bytes / 2)
  })

  it('is read by tar', async () => {
    const folder = folderOf({ 'a/b': 'text', l: { link: 'a/b' } })
    const { archive } = await openBuildContext({ folder, dockerfile: join(folder, 'Dockerfile') })
    const input = Buffer.concat(await archive.toArray())
    const listed = execFileSync('tar', ['-tf', '-'], { input }).toString().trim().split('\n')
    expect(listed).toEqual(['Dockerfile', 'a/', 'a/b', 'l'])
  })
})

// Source: Docker's documentation of .dockerignore, and its matching of patterns, which a test compares with the docker
// command.
const RULES: readonly (readonly [patterns: string, out: readonly string[], kept: readonly string[]])[] = [
  ['*/temp*', ['a/temp', 'a/temporary.txt', 'a/temp/b'], ['temp', 'a/b/temp']],
  ['*/*/temp*', ['a/b/temp'], ['a/temp', 'a/b/c/temp']],
  ['temp?', ['tempa', 'tempb/c'], ['temp', 'tempab']],
  ['**/*.go', ['a.go', 'a/b/c.go'], ['a.god']],
  ['a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
  ['a/**/z', ['a/z', 'a/b/c/z'], ['az', 'a/b/zz']],
  ['/a', ['a', 'a/b'], ['b/a']],
  ['a/', ['a', 'a/b'], ['ab']],
  ['./a', ['a'], ['b']],
  ['a/../b', ['b'], ['a']],
  ['  a  ', ['a'], ['b']],
  ['# a\na#', ['a#'], ['a', '# a']],
  ['\\#a', ['#a'], ['a']],
  ['.', [], ['a']],
  ['', [], ['a']],
  ['*.md\n!README.md', ['a.md'], ['README.md']],
  ['*.md\n!README*.md\nREADME-secret.md', ['a.md', 'README-secret.md'], ['README.md', 'README-a.md']],
  ['*.md\nREADME-secret.md\n!README*.md', ['a.md'], ['README-secret.md']],
  ['*\n!a/b', ['c', 'a', 'a/c'], ['a/b', 'a/b/d']],
  ['! a\n*\n!a', ['b'], ['a']],
  ['[a-c]x', ['ax', 'cx'], ['dx']],
  ['[^a]x', ['bx'], ['ax']],
  ['a+b', ['a+b'], ['ab', 'aab']],
  ['(a|b){1}', ['(a|b){1}'], ['a', 'b']],
  ['a$b.c', ['a$b.c'], ['a$bxc']],
  ['A', ['A'], ['a']],
  ['\uFEFFa\r\nb\r\n', ['a', 'b'], ['c']],
  ['a b', ['a b'], ['a']],
]

describe('the patterns of .dockerignore', () => {
  it.each(RULES)('%j leaves out %j and keeps %j', (patterns, out, kept) => {
    const { leavesOut } = createIgnore(patterns)
    expect([...out, ...kept].filter(leavesOut)).toEqual(out)
  })

  it('are refused by name if a bracket is not closed, as Docker refuses them', () => {
    expect(() => createIgnore('b\na[b')).toThrow('the pattern "a[b" of .dockerignore is not valid')
  })
})
