import { expect, test } from 'vitest'
import { collectRequirements } from '../../../../src-main/features/apps/rules/collect-requirements.ts'
import { scanned, scanOf } from './scan-support.ts'

const line = (text: string, number = 1) => ({
  text,
  file: 'requirements.txt',
  line: number,
  isOption: text.startsWith('-'),
})

const scan = (lines: readonly string[], dependencies: readonly string[] = []) =>
  scanOf({
    requirements: lines.map((text, at) => line(text, at + 1)),
    endpoints: [scanned({ settings: { dependencies: [...dependencies] } })],
  })

test('requirements of the file and of endpoints are joined, each once', () => {
  const found = collectRequirements({ scan: scan(['Idna>=3', 'six'], ['idna >= 3', 'attrs']) })
  expect(found).toMatchObject({ wanted: ['attrs', 'idna>=3', 'six'], names: ['attrs', 'idna', 'six'], problems: [] })
})

test('packages of base images are left out in every spelling, and the SDK is built in', () => {
  const found = collectRequirements({
    scan: scan([
      'Torch~=2.1',
      'numpy @ https://e.com/n.whl',
      'triton[x]; os_name == "posix"',
      'runpod_flash',
      'runpod>=1',
      'svc',
    ]),
  })
  expect(found).toMatchObject({ wanted: [], leftOut: ['numpy', 'torch', 'triton'], problems: [] })
  expect(found.ofImage).toEqual(['numpy @ https://e.com/n.whl', 'torch~=2.1', 'triton[x]; os_name == "posix"'])
})

test('the observed profile keeps numpy, and --exclude adds names', () => {
  const found = collectRequirements({
    scan: scan(['numpy', 'Pillow>=10', 'torch']),
    profile: 'observed',
    excludes: ['pillow'],
  })
  expect(found).toMatchObject({ wanted: ['numpy'], leftOut: ['pillow', 'torch'], ofImage: ['pillow>=10', 'torch'] })
  expect(found.excludes).toEqual(['pillow', 'torch', 'torchaudio', 'torchvision', 'triton'])
})

test('every wrong line is reported with its place', () => {
  const endpoints = [scanned({ line: 7, settings: { dependencies: ['x=='] } })]
  const found = collectRequirements({
    scan: scanOf({ requirements: [line('./lib', 1), line('-e .', 2), line('--weird', 3)], endpoints }),
    excludes: ['a=1'],
  })
  expect(found.problems.map(({ code, file, line }) => [code, file, line])).toEqual([
    ['EXCLUDE_INVALID', undefined, undefined],
    ['REQUIREMENT_INVALID', 'requirements.txt', 1],
    ['OPTION_UNKNOWN', 'requirements.txt', 2],
    ['OPTION_UNKNOWN', 'requirements.txt', 3],
    ['REQUIREMENT_INVALID', 'worker.py', 7],
  ])
})

test('options that choose an index go to the installer, those about source packages say nothing', () => {
  const lines = [
    '-i https://e.com/simple',
    '--find-links=wheels',
    '-f ./more',
    '--no-index',
    '--prefer-binary',
    '--pre',
  ]
  expect(collectRequirements({ scan: scan(lines) })).toMatchObject({
    options: [
      { name: '--index-url', value: 'https://e.com/simple', file: 'requirements.txt' },
      { name: '--find-links', value: 'wheels', file: 'requirements.txt' },
      { name: '--find-links', value: './more', file: 'requirements.txt' },
      { name: '--no-index', file: 'requirements.txt' },
      { name: '--pre', file: 'requirements.txt' },
    ],
    problems: [],
  })
})

test('an option without its value, or with one too many, is wrong', () => {
  const found = collectRequirements({ scan: scan(['--index-url', '--pre yes']) })
  expect(found.problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('its value is missing'),
    expect.stringContaining('it takes no value'),
  ])
})

test('a ready image and a client bring no packages', () => {
  const endpoints = (['image', 'client'] as const).map((kind) =>
    scanned({ kind, settings: { dependencies: ['idna'] } }),
  )
  expect(collectRequirements({ scan: scanOf({ endpoints }) }).wanted).toEqual([])
})

test('an App of SDK 2.0 gets its package, an api also what serves its routes, and tasks bring their packages along', () => {
  const ofApp = (lines: readonly string[]) =>
    scanOf({
      requirements: lines.map((text, at) => line(text, at + 1)),
      endpoints: [
        scanned({ sdk: 2 }),
        scanned({ name: 'web', kind: 'load-balanced', sdk: 2 }),
        scanned({ name: 'train', kind: 'task', sdk: 2, settings: { dependencies: ['polars'] } }),
      ],
    })
  expect(collectRequirements({ scan: ofApp([]) }).wanted).toEqual(['fastapi', 'polars', 'runpod>=2.0.0rc2'])
  const pinned = collectRequirements({ scan: ofApp(['runpod==2.0.0rc2', 'fastapi[standard]>=0.115', 'svc']) })
  expect(pinned.names).toEqual(['fastapi', 'polars', 'runpod'])
  expect(pinned.wanted).toEqual(['fastapi[standard]>=0.115', 'polars', 'runpod==2.0.0rc2', 'runpod>=2.0.0rc2'])
  const queue = scanOf({ requirements: [], endpoints: [scanned({ sdk: 2 })] })
  expect(collectRequirements({ scan: queue }).wanted).toEqual(['runpod>=2.0.0rc2'])
  expect(collectRequirements({ scan: queue, excludes: ['runpod'] })).toMatchObject({
    wanted: [],
    ofImage: ['runpod>=2.0.0rc2'],
  })
})
