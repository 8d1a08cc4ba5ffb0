import { expect, test } from 'vitest'
import type { GraphParameter } from '../../../../../src-main/contract/published.ts'
import { readDocument, writeDocument } from '../../../../../src-main/features/workflows/rules/document/document.ts'
import {
  freeParameterName,
  parameterOf,
  readForm,
  writeForm,
} from '../../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import { writeJson } from '../../../../../src-main/lib/json/value.ts'
import { objectOf } from '../../../../support/workflow-files.ts'

const TEXT = '{"nodes":[],"links":[],"extra":{"ds":{"scale":1.0}},"version":0.4}'
const SEED: GraphParameter = { name: 'seed', node: '57:3', input: 'seed', type: 'integer', max: '18446744073709551615' }
const KIND: GraphParameter = { name: 'kind', node: '4', input: 'ckpt_name', type: 'choice', choices: ['a', 'b'] }

test('a form is kept in the document next to data of others, and read back', () => {
  const form = { parameters: [SEED, KIND], results: ['9'] }
  const text = writeJson(writeDocument(writeForm(readDocument(objectOf(TEXT)), form)))
  expect(text).toContain('"extra":{"ds":{"scale":1.0},"drydock.form":{')
  expect(readForm(readDocument(objectOf(text)))).toEqual(form)
})

test('an empty form leaves no trace', () => {
  const document = readDocument(objectOf(TEXT))
  const empty = { parameters: [], results: [] }
  expect(writeForm(document, empty)).toBe(document)
  expect(writeJson(writeDocument(writeForm(writeForm(document, { ...empty, results: ['9'] }), empty)))).toBe(TEXT)
})

test('an entry that is not a parameter is left out', () => {
  const text =
    '{"nodes":[],"extra":{"drydock.form":{"parameters":[{"name":"a b"},1,{"name":"x","node":"1","input":"y","type":"string"}],"results":"9"}}}'
  const { parameters, results } = readForm(readDocument(objectOf(text)))
  expect([parameters.map(({ name }) => name), results]).toEqual([['x'], []])
})

test('a parameter is found by its input, and gets a name of its own', () => {
  const form = { parameters: [SEED], results: [] }
  expect(parameterOf(form, '57:3', 'seed')).toBe(SEED)
  expect(parameterOf(form, '3', 'seed')).toBeUndefined()
  expect(freeParameterName('seed', form)).toBe('seed_2')
  expect(freeParameterName('3 d.model', form)).toBe('_3_d_model')
})
