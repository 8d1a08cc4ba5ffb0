/**
 * Documents mean here what the public editor's own page makes of them; its answers are recorded by
 * test/comfy/record.ts.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { typesIn } from '../../../../src-main/features/workflows/rules/classes-file.ts'
import { defaultValues, sentValues } from '../../../../src-main/features/workflows/rules/default-values.ts'
import { readNode } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { typeOfNode } from '../../../../src-main/features/workflows/rules/dynamic-inputs.ts'
import { type JsonValue, writeJson } from '../../../../src-main/lib/json/value.ts'
import { CLASSES, documentOf, payloadOf, withText } from '../../../comfy/convert.ts'
import { differences } from '../../../comfy/differences.ts'
import { recordedFile } from '../../../comfy/recorded.ts'
import { SAMPLES } from '../../../comfy/samples.ts'
import { withoutEachClass } from '../../../comfy/without-class.ts'
import { readWorkflowFile, workflowFiles } from '../../../support/workflow-files.ts'

const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as Readonly<Record<string, object>>

test('each sample has its recorded answer', () => {
  expect(Object.keys(recorded)).toEqual(Object.keys(SAMPLES))
})

describe.each(Object.keys(SAMPLES))('%s', (name) => {
  const page = JSON.stringify(recorded[name])

  test('is sent as the page sends it', () => {
    expect(differences(page, payloadOf(JSON.stringify(SAMPLES[name])))).toEqual([])
  })

  test('is a document again, and sent as before', () => {
    expect(differences(page, payloadOf(documentOf(page)))).toEqual([])
  })
})

test('is sent the same when one of its classes is unknown, if the file names its values', () => {
  // Only a class says that a text is a prompt with choices.
  const samples = Object.entries(SAMPLES).flatMap(([name, document]) =>
    name.startsWith('prompts') ? [] : [[name, JSON.stringify(document)] as const],
  )
  const files = workflowFiles
    .filter((name) => name.includes('_ui'))
    .map((name) => [name, readWorkflowFile(name)] as const)
  const { wrong, same } = withoutEachClass([...samples, ...files])
  expect(wrong).toEqual([])
  expect(same).toBeGreaterThan(10)
})

describe('a document of a payload', () => {
  const payload = {
    1: { class_type: 'KSampler', inputs: { seed: 5, steps: 3 } },
    2: { class_type: 'ImageCompare', inputs: { compare_view: { __value__: ['', ''] } } },
    3: { class_type: 'Theirs', inputs: { text: 'a', count: 2 } },
  }
  const [sampler, , theirs] = JSON.parse(documentOf(JSON.stringify(payload))).nodes

  test('holds every widget in its place, with a default where the payload has none', () => {
    expect(sampler.widgets_values).toEqual([5, 'fixed', 3, 8, 'euler', 'simple', 1])
    expect(sampler.inputs.map(({ name }: { name: string }) => name)).toEqual([
      'model',
      'positive',
      'negative',
      'latent_image',
    ])
  })

  test('names the values of an unknown class by its slots', () => {
    expect(theirs.widgets_values).toEqual(['a', 2])
    expect(theirs.inputs.map(({ widget }: { widget: object }) => widget)).toEqual([{ name: 'text' }, { name: 'count' }])
  })

  test('is sent without what the payload had not, until it is set', () => {
    expect(JSON.parse(payloadOf(documentOf(JSON.stringify(payload))))[1].inputs).toEqual({ seed: 5, steps: 3 })
    const document = JSON.parse(documentOf(JSON.stringify(payload)))
    document.nodes[0].widgets_values[3] = 2
    expect(JSON.parse(payloadOf(JSON.stringify(document)))[1].inputs).toEqual({ seed: 5, steps: 3, cfg: 2 })
  })
})

test('a value that is set on a host is its own, with those before it; what is inside stays', () => {
  const document = JSON.stringify(SAMPLES['a host without values'])
  const edited = JSON.parse(withText(document, 'mine') ?? '')
  expect(edited.nodes[0].widgets_values).toEqual([640, 'mine'])
  expect(edited.definitions).toEqual(JSON.parse(document).definitions)
})

test('a value that is set takes the place of one that the page once kept aside, which it would prefer', () => {
  const document = JSON.parse(JSON.stringify(SAMPLES['a host without values']))
  const aside = (input: string) => ({ originalEntry: ['-1', input], reason: 'missingSourceNode', hostValue: 'old' })
  document.nodes[0].properties = { proxyWidgetErrorQuarantine: [aside('value'), aside('width')] }
  const edited = JSON.parse(withText(JSON.stringify(document), 'mine') ?? '')
  expect(edited.nodes[0].properties).toEqual({ proxyWidgetErrorQuarantine: [aside('width')] })
})

test('a new node of any class that comes along sends a value for each widget that has a default', () => {
  const types = typesIn(CLASSES)
  for (const [name] of types) {
    const bare = readNode(new Map([['type', name]]))
    const type = typeOfNode(bare, types)
    if (type === undefined) throw new Error(name)
    const whole = readNode(
      new Map<string, JsonValue>([
        ['type', name],
        ['widgets_values', defaultValues(type)],
      ]),
    )
    const sent = (node: typeof bare) => JSON.parse(writeJson(sentValues(node, typeOfNode(node, types)) ?? new Map()))
    expect([name, sent(whole)]).toMatchObject([name, sent(bare)])
  }
})
