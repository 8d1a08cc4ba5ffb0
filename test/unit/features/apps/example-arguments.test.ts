import { expect, test } from 'vitest'
import type { ScannedParameter } from '../../../../src-main/contract/scan.ts'
import { exampleArguments } from '../../../../src-main/features/apps/rules/examples.ts'

const parameter = (name: string, annotation?: string, more: Partial<ScannedParameter> = {}): ScannedParameter => ({
  name,
  kind: 'positional-or-keyword',
  hasDefault: false,
  annotation: annotation ?? null,
  ...more,
})
const of = (...parameters: ScannedParameter[]) => exampleArguments({ isClass: false, parameters })
const OPTIONAL = { hasDefault: true }

test.each([
  ['str', 'text'],
  ['int', 1],
  ['float', 0.5],
  ['bool', true],
  ['list[str]', ['text']],
  ['typing.List[int]', [1, 2]],
  ['list', []],
  ['dict[str, int]', {}],
  ['str | None', 'text'],
  ['Optional[int]', 1],
  ['"str"', 'text'],
  ["Literal['fast', 'good']", 'fast'],
  [undefined, 'text'],
])('a parameter of type %s gets %j', (annotation, value) => {
  expect(of(parameter('x', annotation))).toEqual({ x: value })
})

test('well-known names get what people expect of them, where the type allows it', () => {
  expect(of(parameter('name', 'str'), parameter('names', 'list'), parameter('text', 'int'))).toEqual({
    name: 'Ada',
    names: ['Ada', 'Bo'],
    text: 1,
  })
})

test('an argument with a default is left out, but where all have one the first text is shown', () => {
  expect(of(parameter('prompt'), parameter('steps', 'int', OPTIONAL))).toEqual({ prompt: 'a cat' })
  expect(of(parameter('n', 'int', OPTIONAL), parameter('name', 'str', OPTIONAL))).toEqual({ name: 'Ada' })
  expect(of(parameter('n', 'int', OPTIONAL))).toEqual({})
})

test('arguments from the runtime are not sent, and those that cannot be invented give no example', () => {
  const rest = parameter('more', undefined, { kind: 'var-keyword' })
  expect(of(parameter('request', 'svc.Request'), rest)).toEqual({})
  expect(of(parameter('order', 'Order'))).toBeUndefined()
  expect(exampleArguments({ isClass: false })).toBeUndefined()
})

test('a class gets its first method, which is named where there are several', () => {
  const count = { name: 'count', parameters: [parameter('text', 'str')] }
  const longest = { name: 'longest', parameters: [] }
  expect(exampleArguments({ isClass: true, methodDetails: [count, longest] })).toEqual({
    method: 'count',
    text: 'Hello there',
  })
  expect(exampleArguments({ isClass: true, methodDetails: [count] })).toEqual({ text: 'Hello there' })
})
