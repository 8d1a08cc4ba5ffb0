/** docs/spec/targets.md, 2.20: archives that want to write elsewhere, to fill the disk, or to be two things at once. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTemplate } from '../../src-main/app/app-builder/app-template.ts'
import { createUnpacker, unpackArtifact } from '../../src-main/features/apps/adapters/unpack-artifact.ts'
import { unpackInThread } from '../../src-main/features/apps/adapters/unpack-in-thread.ts'
import type { UnpackArtifact } from '../../src-main/features/apps/ports/artifacts.ts'
import { archiveTexts, setup as setupBuild } from '../build/support.ts'
import { cpuWhile, expectShortHold } from '../support/main-thread.ts'
import { archive, file, folder, gnuLongName, pax, TAR_END, tarBytes } from './tar-bytes.ts'

const MIB = 1024 * 1024
const LIMITS = { bytes: 4 * MIB, files: 50 }
const unpackSmall = createUnpacker(LIMITS)

/** A folder to unpack into, with things around it that must stay as they are. */
function setup() {
  const root = mkdtempSync(join(tmpdir(), 'drydock-unpack-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const path of ['sentinel', 'unpacked/sentinel']) {
    mkdirSync(join(root, path), { recursive: true })
    writeFileSync(join(root, path, 'file.txt'), 'as it was')
  }
  writeFileSync(join(root, 'sentinel.txt'), 'as it was')
  const target = join(root, 'unpacked', 'app')
  const unpack = async (bytes: Buffer, unpacker = unpackSmall, signal = new AbortController().signal) => {
    const path = join(root, 'artifact.tar.gz')
    writeFileSync(path, bytes)
    try {
      await unpacker(path, target, signal)
    } finally {
      rmSync(path)
    }
  }
  return { root, target, unpack }
}

/** All below a folder: for a file its mode and text, for a folder its mode. */
function tree(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    paths.map((path) => {
      const found = statSync(join(root, path))
      const mode = (found.mode & 0o7777).toString(8)
      return [path, found.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(join(root, path), 'latin1')}`]
    }),
  )
}

/** Unpacks what must be refused: nothing may be left, and nothing may be other than before. @returns the reason */
async function refusal(bytes: (root: string) => Buffer): Promise<string> {
  const { root, unpack } = setup()
  const before = tree(root)
  const reason = await unpack(bytes(root)).then(
    () => 'it was unpacked',
    (error: Error) => error.message,
  )
  expect(tree(root)).toEqual(before)
  return reason
}

const FINE = file('main.py')
const LARGE = file('large', { content: randomBytes(2 * MIB) })
const small = tarBytes(FINE)
const many = (count: number) => Array.from({ length: count }, (_, n) => file(`f${n}`, { content: '' }))
const long = (length: number) => 'n'.repeat(length)

describe('an archive is refused that has', () => {
  it.each([
    ['an absolute path', archive(FINE, file('/etc/evil')), '"/etc/evil" has an absolute path'],
    ['a path that leads out', archive(FINE, file('../evil')), '"../evil" has a path that leads to another folder'],
    ['a path that leads out of the middle', archive(file('a/../../evil')), 'leads to another folder'],
    ['a path that leads out and back', archive(file('../app/evil')), 'leads to another folder'],
    ['a path that ends in ..', archive(file('a/..')), 'leads to another folder'],
    ['a folder outside', archive(folder('../evil/')), 'leads to another folder'],
    ['a folder that is ..', archive(folder('..')), 'leads to another folder'],
    ['a long path that leads out (PAX)', archive(pax({ path: '../evil' }), FINE), 'leads to another folder'],
    ['a long path that leads out (GNU)', archive(gnuLongName('../evil'), FINE), 'leads to another folder'],
    ['a backslash', archive(file('..\\evil')), 'has a backslash in its path'],
    ['a drive', archive(file('C:evil')), 'has a path with a drive'],
    ['a share', archive(file('\\\\host\\share')), 'has a backslash in its path'],
    ['a zero byte in a path', archive(pax({ path: 'a\0../evil' }), FINE), 'has a control character in its path'],
    ['a line end in a path', archive(file('a\nb')), '"a?b" has a control character in its path'],
    ['an escape of a terminal in a path', archive(file('a\x1b[2Jb')), '"a?[2Jb" has a control character'],
    ['a path that is no UTF-8', archive(file(Buffer.from([0x61, 0xff]))), 'has a path that is not text'],
    ['no path', archive(file('')), 'has no name'],
    ['an empty part of a path', archive(file('a//b')), 'has a path with an empty part'],
    ['a dot as part of a path', archive(file('a/./b')), 'has a path with an empty part'],
    ['a file that is the root', archive(file('.')), 'has a path with an empty part'],
    ['a file with the name of a folder', archive(pax({ path: 'a/' }), FINE), 'has a path with an empty part'],
    ['a name that is too long', archive(pax({ path: long(256) }), FINE), 'has a name over 255 bytes'],
    [
      'a path that is too long',
      archive(pax({ path: `${long(200)}/`.repeat(11) + long(9) }), FINE),
      'of more than 2048',
    ],
    ['a path that is too deep', archive(pax({ path: `${'d/'.repeat(100)}f` }), FINE), 'more than 100 folders deep'],
  ])('%s', async (_what, bytes, reason) => {
    expect(await refusal(() => bytes)).toContain(reason)
  })

  it('an absolute path that it could write to', async () => {
    expect(await refusal((root) => archive(file(join(root, 'evil'))))).toContain('has an absolute path')
  })

  it.each([
    ['a symbolic link', archive({ name: 'l', type: '2', link: 'main.py' }), 'is a symbolic link'],
    ['a way out by a link', archive({ name: 'l', type: '2', link: '..' }, file('l/evil')), 'is a symbolic link'],
    ['a hard link', archive(FINE, { name: 'l', type: '1', link: 'main.py' }), 'is a hard link'],
    ['a hard link to a file outside', archive({ name: 'l', type: '1', link: '../../sentinel.txt' }), 'is a hard link'],
    ['a link by its newer form', archive(pax({ linkpath: '/' }), { name: 'l', type: '2' }), 'is a symbolic link'],
    ['a character device', archive({ name: 'd', type: '3' }), 'is a device'],
    ['a block device', archive({ name: 'd', type: '4' }), 'is a device'],
    ['a named pipe', archive({ name: 'p', type: '6' }), 'is a named pipe'],
    ['a contiguous file', archive(file('c', { type: '7' })), 'is of a kind that is not known'],
    ['a sparse file of the older form', archive(file('s', { type: 'S' })), 'is of a kind that is not known'],
    ['a sparse file', archive(pax({ 'GNU.sparse.major': '1', 'GNU.sparse.minor': '0' }), FINE), 'is a sparse file'],
    ['more fields than any program writes', archive(pax(fields(101)), FINE), 'has more than 100 header fields'],
    ['more global fields', archive(pax(fields(101), 'g'), pax({ a: '' }), FINE), 'has more than 100 header fields'],
    ['an unknown kind', archive(file('u', { type: 'Z' })), 'is of a kind that is not known'],
    ['a folder with bytes', archive(folder('d/', { content: tarBytes(file('../evil')) })), 'is a folder with bytes'],
  ])('%s', async (_what, bytes, reason) => {
    expect(await refusal(() => bytes)).toContain(reason)
  })

  it.each([
    ['a file twice', archive(file('a'), file('a')), '"a" is there twice'],
    ['a file twice, once with a dot before it', archive(file('a'), file('./a')), '"a" is there twice'],
    ['a folder twice', archive(folder('a/'), folder('a')), '"a" is there twice'],
    ['two files that differ by case', archive(file('Main.py'), file('main.py')), '"main.py" differs from "Main.py"'],
    ['two folders that differ by case', archive(file('A/x'), file('a/y')), '"a" differs from "A"'],
    ['a file and a folder that differ by case', archive(file('A'), file('a/y')), '"a" differs from "A"'],
    ['two forms of one letter', archive(file('\u00e9'), file('e\u0301')), 'by case or form of its letters alone'],
    ['a sign that is a letter', archive(file('\u212A'), file('k')), 'by case or form of its letters alone'],
    ['sharp s and two s', archive(file('stra\u00dfe'), file('STRASSE')), 'by case or form of its letters alone'],
    ['an entry below a file', archive(file('a'), file('a/b')), '"a" is a file and a folder'],
    ['a file in the place of a folder', archive(file('a/b'), file('a')), '"a" is a file and a folder'],
    ['a folder in the place of a file', archive(file('a'), folder('a/')), '"a" is there twice'],
  ])('%s', async (_what, bytes, reason) => {
    expect(await refusal(() => bytes)).toContain(reason)
  })
})

/** Fields of a pax header. */
function fields(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`F${at}`, '']))
}

it('the fields of a crafted archive are read without holding the event loop', async () => {
  const { root } = setup()
  const artifact = join(root, 'artifact.tar.gz')
  writeFileSync(artifact, archive(pax(fields(250_000)), FINE))
  const folder = join(root, 'unpacked', 'app')
  const unpack = (unpacker: UnpackArtifact) => () =>
    expect(unpacker(artifact, folder, new AbortController().signal)).rejects.toThrow('has more than 100 header fields')
  const reading = await cpuWhile(unpack(unpackArtifact))
  await expectShortHold(reading / 2, unpack(unpackInThread))
  expect(readdirSync(join(root, 'unpacked'))).toEqual(['sentinel'])
})

it('an archive is unpacked in a thread, unless its release is stopped', async () => {
  const { root } = setup()
  const artifact = join(root, 'artifact.tar.gz')
  writeFileSync(artifact, archive(FINE))
  const stopping = new AbortController()
  const unpacking = unpackInThread(artifact, join(root, 'unpacked', 'stopped'), stopping.signal)
  stopping.abort(new Error('the release was stopped'))
  await expect(unpacking).rejects.toThrow('the release was stopped')
  await unpackInThread(artifact, join(root, 'unpacked', 'app'), new AbortController().signal)
  expect(readdirSync(join(root, 'unpacked')).toSorted()).toEqual(['app', 'sentinel'])
})

describe('an archive is refused that is', () => {
  it.each([
    ['no gzip', Buffer.concat([small, TAR_END]), 'it is not a gzip file'],
    ['empty', Buffer.alloc(0), 'it is not a gzip file'],
    ['gzip of something else', gzipSync('a letter to my aunt '.repeat(100)), 'it is not a tar archive'],
    ['cut off in its compression', archive(FINE).subarray(0, -9), 'incomplete'],
    ['cut off in an entry', gzipSync(small.subarray(0, 515)), 'incomplete'],
    [
      'cut off in a large file',
      gzipSync(tarBytes(file('a', { content: Buffer.alloc(3 * MIB) })).subarray(0, MIB)),
      'incomplete',
    ],
    [
      'cut off in its compression of a large file',
      archive(LARGE).subarray(0, MIB),
      'it is not a gzip file, or it is incomplete',
    ],
    ['cut off in a header', gzipSync(Buffer.concat([small, small.subarray(0, 100)])), 'incomplete'],
    ['cut off between two entries', gzipSync(small), 'it is cut off'],
    ['cut off between its two parts', gzipSync(tarBytes(FINE, file('b'))), 'it is cut off'],
    ['damaged', Buffer.concat([archive(FINE).subarray(0, -8), Buffer.alloc(8)]), 'damaged'],
    ['followed by something', Buffer.concat([archive(FINE), Buffer.from('more')]), 'damaged'],
    ['followed by zeros', Buffer.concat([archive(FINE), Buffer.alloc(99)]), 'there is data after its end'],
    [
      'followed by something behind a zero',
      Buffer.concat([archive(FINE), Buffer.from('\0x')]),
      'there is data after its end',
    ],
    ['of a negative size', archive(file('a', { size: Buffer.alloc(12, 0xff) })), 'it is not a tar archive'],
    ['of a size beyond all', archive(file('a', { size: Buffer.from(`\x80${'\x7f'.repeat(11)}`, 'latin1') })), 'larger'],
    ['all long names', archive(pax({ path: 'x'.repeat(5 * MIB) }), FINE), 'max size'],
  ])('%s', async (_what, bytes, reason) => {
    expect(await refusal(() => bytes)).toContain(reason)
  })

  it('one byte too large, and no other', async () => {
    const of = (size: number) =>
      gzipSync(Buffer.concat([tarBytes(file('a', { content: Buffer.alloc(size) })), TAR_END]))
    const limit = 512 + 1024 + 1024
    const unpackers = [limit - 1, limit, limit + 1].map((bytes) => createUnpacker({ ...LIMITS, bytes }))
    const results = await Promise.all(
      unpackers.map((unpacker) =>
        setup()
          .unpack(of(1024), unpacker)
          .then(() => 'unpacked', String),
      ),
    )
    expect(results).toEqual([expect.stringContaining(`becomes larger than ${limit - 1} bytes`), 'unpacked', 'unpacked'])
  })

  it('one file too many, and no other; folders count', async () => {
    const results = await Promise.all(
      [47, 48, 49].map((count) =>
        setup()
          .unpack(archive(file('one/folder/f'), ...many(count - 1)))
          .then(() => 'unpacked', String),
      ),
    )
    expect(results).toEqual(['unpacked', 'unpacked', expect.stringContaining('more than 50 files and folders')])
  })

  it('many folders by few entries', async () => {
    const deep = (n: number) => pax({ path: `${`${n}/`.repeat(40)}f` })
    expect(await refusal(() => archive(deep(1), FINE, deep(2), FINE))).toContain('more than 50 files and folders')
  })

  it.each([
    ['one file', () => tarBytes(file('zeros', { size: 3 * 1024 * MIB }))],
    ['nothing but its end', () => small],
    ['a file that says to be small', () => tarBytes(file('zeros', { size: 1 }))],
  ])('a bomb of %s', async (_what, head) => {
    expect(await refusal(() => bomb(head()))).toContain(`it becomes larger than ${LIMITS.bytes} bytes`)
  })

  it('a bomb of many files', async () => {
    const files = Array.from({ length: 40 }, (_, n) => file(`f${n}`, { content: Buffer.alloc(MIB) }))
    expect(await refusal(() => archive(...files))).toContain(`it becomes larger than ${LIMITS.bytes} bytes`)
  })
})

// A gigabyte of zeros has a megabyte; members of gzip can be repeated, so that it is made at once.
function bomb(head: Buffer): Buffer {
  const zeros = gzipSync(Buffer.alloc(16 * MIB), { level: 9 })
  return Buffer.concat([gzipSync(head), ...Array.from({ length: 64 }, () => zeros)])
}

describe('an archive is unpacked', () => {
  it('with ordinary modes, whatever it says', async () => {
    const { target, unpack } = setup()
    await unpack(
      archive(
        folder('./'),
        folder('./pkg/', { mode: 0o7000 }),
        file('./pkg/run', { mode: 0o6711, content: '#!' }),
        file('closed', { mode: 0, content: '' }),
        file('open', { mode: 0o666, content: 'é' }),
      ),
    )
    expect(tree(target)).toEqual({
      pkg: 'folder 755',
      'pkg/run': '755 #!',
      closed: '644 ',
      open: `644 ${Buffer.from('é').toString('latin1')}`,
    })
    expect(statSync(target).mode & 0o777).toBe(0o755)
  })

  it('with long names of both forms, and files that are large', async () => {
    const { target, unpack } = setup()
    const deep = `${'folder/'.repeat(40)}ü.txt`
    const large = Buffer.alloc(2 * MIB + 5, 'model')
    await unpack(archive(pax({ path: deep }), FINE, gnuLongName(`a/${long(200)}`), FINE, file('m', { content: large })))
    const files = tree(target)
    expect([files[deep], files[`a/${long(200)}`]]).toEqual(['644 content', '644 content'])
    expect(files.m === `644 ${large.toString('latin1')}`).toBe(true)
  })

  it('where another one was quicker its folder stays', async () => {
    const { target, unpack } = setup()
    mkdirSync(target)
    writeFileSync(join(target, 'main.py'), 'theirs')
    await unpack(archive(FINE))
    expect(tree(join(target, '..'))).toMatchObject({
      'app/main.py': '644 theirs',
      'sentinel/file.txt': '644 as it was',
    })
    expect(readdirSync(join(target, '..')).sort()).toEqual(['app', 'sentinel'])
  })

  it('not at all when it is called off', async () => {
    const { root, unpack } = setup()
    const before = tree(root)
    const reason = new Error('called off')
    await expect(unpack(archive(FINE), unpackSmall, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(tree(root)).toEqual(before)
  })

  it('of a real app with packages, as Python reads it', async () => {
    const files = { ...(await readTemplate('demo')), 'requirements.txt': 'tiny\n' }
    const wheels = [{ name: 'tiny', files: { 'tiny/__init__.py': 'def main(): pass\n' }, script: 'tiny' }]
    const { artifact, build } = setupBuild({ files, wheels })
    await build()
    const { target, unpack } = setup()
    await unpack(readFileSync(artifact), unpackArtifact)
    const unpacked = Object.entries(tree(target)).filter(([, text]) => !text.startsWith('folder'))
    const texts = archiveTexts(artifact)
    expect(Object.fromEntries(unpacked.map(([name, text]) => [name, text.slice(4)]))).toEqual(texts)
    expect(Object.keys(texts)).toEqual(expect.arrayContaining(['lb_worker.py', 'tiny/__init__.py', 'svc/__init__.py']))
    expect(unpacked.filter(([, text]) => text.startsWith('755')).map(([name]) => name)).toEqual(['bin/tiny'])
  })
})
