import { expect, test } from 'vitest'
import { licenceOfText, readPyproject } from '../../../../src-main/features/worker-images/rules/read-pyproject.ts'
import { readRequirements } from '../../../../src-main/features/worker-images/rules/read-requirements.ts'
import { readWheelName, wheelMisfit } from '../../../../src-main/features/worker-images/rules/wheel-files.ts'

test.each([
  ['Pillow >= 10, <12', 'pillow', '<12,>=10'],
  ['opencv-python-headless[ffmpeg]<=4.7.0.72', 'opencv-python-headless', '<=4.7.0.72'],
  ['numpy # any', 'numpy', ''],
  ['tqdm; python_version >= "3.8"', 'tqdm', ''],
  ['segment_anything @ git+https://code.example/sam.git@main#subdirectory=py', 'segment-anything', ''],
  ['git+https://code.example/sam.git', undefined, ''],
  ['-e git+https://code.example/sam.git#egg=sam', 'sam', ''],
  ['file:///srv/lib-1.0-py3-none-any.whl', 'lib', ''],
  [`tqdm==4.66 --hash=sha256:${'a'.repeat(64)}`, 'tqdm', '==4.66'],
])('the line "%s" is read', (line, name, versions) => {
  const { requirements, unreadable } = readRequirements(line)
  expect(unreadable).toEqual([])
  expect(requirements).toMatchObject([{ versions, ...(name && { name }) }])
  expect(requirements[0]?.name).toBe(name)
})

test('included files are read once, next to the file that names them', () => {
  const files: Record<string, string> = { 'extra/a.txt': 'one\n-r b.txt\n-r ../requirements.txt', 'extra/b.txt': 'two' }
  const read = readRequirements('-r extra/a.txt\r\nthree', { include: (path) => files[path] })
  expect(read.lines).toEqual(['one', 'two', 'three'])
  expect(read.unreadable).toEqual([])
})

test.each([
  ['numpy<1.24>=1.18', 'not a version'],
  ['../shared', 'paths are not supported'],
  [`ink @ https://wheels.example/${'$'}{HF_TOKEN}/ink-1.0-py3-none-any.whl`, 'may be secrets'],
  [`https://wheels.example/ink-1.0-py3-none-any.whl?${'$'}{HF_TOKEN}`, 'may be secrets'],
  ['-c limits.txt', 'constraints are not read'],
  ['-r lost.txt', 'there is no file lost.txt'],
])('the line "%s" is reported', (line, why) => {
  const { requirements, unreadable, lines } = readRequirements(line)
  expect(requirements).toEqual([])
  expect(unreadable).toMatchObject([{ text: line, why: expect.stringContaining(why) }])
  expect(lines).toEqual([line])
})

test('other indexes are named without their passwords, also on the line of a package', () => {
  const read = readRequirements(
    '-i https://ada:key@wheels.example/simple\ntorch --extra-index-url https://torch.example\n--pre',
  )
  expect(read.indexes.map(({ option }) => option)).toEqual([
    '-i https://wheels.example/simple',
    '--extra-index-url https://torch.example',
  ])
  expect(read.requirements.map(({ text }) => text)).toEqual(['torch'])
})

test.each([
  ['a-1.0-py3-none-any.whl', undefined],
  ['a-1.0-py2.py3-none-any.whl', undefined],
  ['a-1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl', undefined],
  ['a-1.0-cp38-abi3-linux_x86_64.whl', undefined],
  ['a-1.0-1-cp311-cp311-linux_x86_64.whl', undefined],
  ['https://x.example/a-1.0%2Bcu121-cp310-cp310-linux_x86_64.whl#sha256=0', 'python'],
  ['a-1.0-cp312-abi3-linux_x86_64.whl', 'python'],
  ['a-1.0-py2-none-any.whl', 'python'],
  ['a-1.0-cp311-cp311-win_amd64.whl', 'platform'],
  ['a-1.0-cp311-cp311-musllinux_1_1_x86_64.whl', 'platform'],
  ['a-1.0-cp311-cp311-manylinux2014_aarch64.whl', 'platform'],
])('the wheel %s: misfit %s', (file, misfit) => {
  const wheel = readWheelName(file)
  expect(wheel && wheelMisfit(wheel, '3.11')).toBe(misfit)
})

test('pyproject.toml says what a node package needs', () => {
  const text = `[project]
name = "comfyui-faces"
version = "1.2.0"
requires-python = ">=3.10"
dependencies = ["insightface", "comfyui>=0.3"]
license = { file = "LICENSE" }
[tool.comfy]
PublisherId = "ada"
requires-comfyui = ">=0.3.40"`
  expect(readPyproject(text)).toEqual({
    name: 'comfyui-faces',
    version: '1.2.0',
    python: '>=3.10',
    comfyui: '>=0.3.40',
    dependencies: ['insightface'],
    licenceFile: 'LICENSE',
  })
  expect(readPyproject('[project\n')).toBeUndefined()
  expect(readPyproject('[tool.ruff]\n')).toBeUndefined()
  expect(readPyproject('[project]\ndependencies = "x"\nrequires-python = ""')).toEqual({ dependencies: [] })
})

test.each([
  ['GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3', 'AGPL-3.0'],
  ['GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007', 'GPL-3.0'],
  ['MIT License\n\nPermission is hereby granted, free of charge, to any person', 'MIT'],
  ['Attribution-NonCommercial-ShareAlike 4.0 International', 'CC-BY-NC-SA-4.0'],
  ['Nothing that is known', undefined],
])('the licence "%s"', (text, id) => {
  expect(licenceOfText(text)).toBe(id)
})

test('a megabyte of spaces is read in no time', () => {
  const { requirements } = readRequirements(`ink${' '.repeat(1024 * 1024)}>=1 ; python_version >= "3"`)
  expect(requirements).toMatchObject([{ name: 'ink', versions: '>=1' }])
})
