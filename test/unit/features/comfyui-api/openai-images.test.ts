import { describe, expect, it } from 'vitest'
import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import { readImagesRequest } from '../../../../src-main/features/comfyui-api/rules/openai-images.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isObject } from '../../../../src-main/lib/json/value.ts'

const parameter = (name: string, type: GraphParameter['type'], more: object = {}): GraphParameter => ({
  ...{ name, node: '1', input: name, type },
  ...more,
})
const PROMPT = parameter('prompt', 'string')
const SEED = parameter('seed', 'integer', { min: '0', max: '18446744073709551615' })
const ALL = [PROMPT, SEED, parameter('width', 'integer'), parameter('height', 'integer'), parameter('steps', 'integer')]

function read(fields: object, parameters = ALL, files: { images?: readonly string[]; mask?: string } = {}) {
  const sent = parseJson(JSON.stringify(fields))
  if (!isObject(sent)) throw new Error('no object')
  let seed = 40
  return readImagesRequest({ fields: sent, images: files.images ?? [], mask: files.mask }, parameters, () => {
    seed += 1
    return seed
  })
}

describe('an image request', () => {
  it('fills the parameters, one job for each picture', () => {
    expect(read({ model: 'm', prompt: 'a', n: 2, size: '64x32', quality: 'high', steps: 3, user: null })).toEqual({
      inputs: [
        '{"width":64,"height":32,"prompt":"a","steps":3,"seed":41}',
        '{"width":64,"height":32,"prompt":"a","steps":3,"seed":42}',
      ],
      ...{ format: 'b64_json', isStream: false, partialImages: 0 },
    })
  })

  it('refuses a file format that the workflow does not save, unless it exposes one', () => {
    expect(read({ prompt: 'a', output_format: 'png' })).toHaveProperty('inputs')
    expect(read({ prompt: 'a', output_format: 'webp' })).toMatchObject({ param: 'output_format' })
    expect(read({ output_format: 'webp' }, [parameter('output_format', 'choice')])).toMatchObject({
      inputs: ['{"output_format":"webp"}'],
    })
  })

  it('counts a given seed up, also a large one', () => {
    const sent = parseJson('{"seed":18446744073709551614,"n":2}')
    if (!isObject(sent)) throw new Error('no object')
    expect(readImagesRequest({ fields: sent, images: [], mask: undefined }, ALL, () => 0)).toMatchObject({
      inputs: ['{"seed":18446744073709551614}', '{"seed":18446744073709551615}'],
    })
  })

  it('reads the texts of a form by the type of their parameter', () => {
    expect(read({ prompt: '7', n: '1', stream: 'true', partial_images: '2', steps: '3', seed: '5' })).toEqual({
      inputs: ['{"prompt":"7","steps":3,"seed":5}'],
      ...{ format: 'b64_json', isStream: true, partialImages: 2 },
    })
  })

  it('gives the prompt to the only text, and pictures in their order', () => {
    const parameters = [
      parameter('words', 'string'),
      parameter('mask', 'image'),
      parameter('one', 'image'),
      parameter('two', 'image'),
    ]
    expect(read({ prompt: 'a' }, parameters, { images: ['A', 'B'], mask: 'M' })).toMatchObject({
      inputs: ['{"words":"a","one":"A","two":"B","mask":"M"}'],
    })
    expect(read({ prompt: 'a' }, parameters, { images: ['A', 'B', 'C'] })).toMatchObject({ param: 'image' })
  })

  it.each([
    ['n', { n: 0 }],
    ['n', { n: 11 }],
    ['n', { n: 2, stream: true }],
    ['partial_images', { partial_images: 4 }],
    ['response_format', { response_format: 'png' }],
    ['size', { size: 'large' }],
    ['colour', { colour: 'red' }],
  ])('names %s in the refusal of %j', (param, fields) => expect(read(fields)).toMatchObject({ param }))

  it.each([
    ['size', { size: '64x64' }],
    ['seed', { seed: 1 }],
    ['n', { n: 2 }],
    ['prompt', { prompt: 'a' }],
  ])('refuses %s that the workflow does not expose', (param, fields) =>
    expect(read(fields, [])).toMatchObject({ param }),
  )
})
