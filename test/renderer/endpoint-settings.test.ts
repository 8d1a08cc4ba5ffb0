import { describe, expect, test } from 'vitest'
import { containerSettings } from '../../src-main/contract/container.ts'
import { type EndpointConfig, endpointConfig } from '../../src-main/contract/endpoint.ts'
import { appliedSections, SETTING_SECTIONS } from '../../src-main/features/endpoints/rules/settings/sections.ts'
import {
  type Raw,
  rawOf,
  readSetting,
  settingText,
  valueAt,
} from '../../src-main/features/endpoints/rules/settings/setting.ts'
import {
  type Draft,
  readDraft,
  typed,
  undoBody,
} from '../../src-renderer/features/endpoints/settings/settings-draft.ts'
import { readEnvFile } from '../../src-renderer/ui/form/VariablesField.tsx'

const FIELDS = SETTING_SECTIONS.flatMap(({ fields }) => fields)

const aConfig = (more: Partial<EndpointConfig> = {}): EndpointConfig => ({
  ...endpointConfig.parse({ name: 'hello', handler: '/h.py' }),
  ...more,
})

/** The draft after these fields were typed in, one after the other. */
function draftOf(config: EndpointConfig, typings: Readonly<Record<string, Raw>>): Draft {
  return Object.entries(typings).reduce<Draft>((draft, [path, raw]) => {
    const field = FIELDS.find((one) => one.path === path)
    if (field === undefined) throw new Error(`there is no field ${path}`)
    return typed(draft, field, config, raw)
  }, {})
}

const readOf = (config: EndpointConfig, typings: Readonly<Record<string, Raw>>) =>
  readDraft(FIELDS, config, draftOf(config, typings))

describe('the sections', () => {
  test('of a published graph leave out the settings of workers, which it has none of', () => {
    const titles = (config: EndpointConfig) => appliedSections(config).map(({ title }) => title)
    expect(titles(aConfig())).toEqual(expect.arrayContaining(['General', 'Program', 'Scaling', 'Fault injection']))
    const graph = aConfig({ handler: undefined, graph: { behind: 'sketch', version: 1 } })
    expect(titles(graph)).toEqual(['General'])
    expect(appliedSections(graph)[0]?.fields.some(({ startsWorkers }) => startsWorkers)).toBe(false)
  })

  test('have a field for every setting, but those that deploys, publishing and the platform alone set', () => {
    const known = new Set(FIELDS.map(({ path }) => path.split('.')[0]))
    const settings = Object.keys(endpointConfig.shape).filter((name) => !['app', 'graph', 'platform'].includes(name))
    expect(settings.filter((name) => !known.has(name))).toEqual([])
    const ofContainers = Object.keys(containerSettings.shape).filter(
      (name) => !FIELDS.some(({ path }) => path === `container.${name}`),
    )
    expect(ofContainers).toEqual([])
  })

  test('say what applies while a choice or a field with a default is missing', () => {
    const texts = ['emptyInput', 'ttlWhileRunning', 'cwd', 'container.memoryBytes'].map((path) => {
      const field = FIELDS.find((one) => one.path === path)
      return field && settingText(field, undefined)
    })
    expect(texts).toEqual([
      'the default: run it, with a warning',
      'the default: forget the job',
      'the default: the folder of the handler file',
      'the default: no limit',
    ])
    expect(FIELDS.filter(({ help, label }) => /[uU]nset/.test(help + label))).toEqual([])
  })

  test('show each default in a form that reads back to the same value', () => {
    const config = aConfig({ container: containerSettings.parse({ gpu: 'ANY' }), loadBalanced: { port: 80 } })
    for (const field of FIELDS) {
      const { path, input } = field
      const value = valueAt(config, path)
      if (value === undefined) continue
      expect([path, readSetting(field, rawOf(input, value))]).toEqual([path, { value }])
    }
  })
})

describe('a draft', () => {
  test('sends what differs and nothing else', () => {
    const config = aConfig()
    const { body, changes, faults } = readOf(config, { workersMax: '7', 'scaler.value': '2,5', name: 'hello' })
    expect({ body, faults }).toEqual({
      body: { workersMax: 7, scaler: { type: 'QUEUE_DELAY', value: 2.5 } },
      faults: {},
    })
    expect(changes.map(({ before, after }) => [before, after])).toEqual([
      ['3 workers', '7 workers'],
      ['4 s', '2.5 s'],
    ])
  })

  test('switches workflows on and off, and sends them whole', () => {
    const off = aConfig()
    expect(readOf(off, { workflows: true }).body).toEqual({ workflows: { checkModels: true, modelFolders: true } })
    const typings = { workflows: true, 'workflows.models': 'a.safetensors\nb.pt', 'workflows.server': 'http://x:8188' }
    const models = ['a.safetensors', 'b.pt']
    const workflows = { checkModels: true, modelFolders: true, models, server: 'http://x:8188' }
    expect(readOf(off, typings).body).toEqual({ workflows })
    const on = aConfig({ workflows })
    expect(readOf(on, { 'workflows.checkModels': false }).body).toEqual({
      workflows: { ...workflows, checkModels: false },
    })
    expect(readOf(on, { 'workflows.models': '' }).body).toEqual({ workflows: { ...workflows, models: undefined } })
    const { body, changes } = readOf(on, { workflows: false })
    expect(body).toEqual({ workflows: null })
    expect(undoBody(on, changes)).toEqual({ workflows })
  })

  test('that was typed back is none', () => {
    expect(draftOf(aConfig(), { workersMax: '3' })).toEqual({})
  })

  test('takes away what may be missing, and not what has to be there', () => {
    const config = aConfig({ cwd: '/tmp', container: containerSettings.parse({ gpu: 'ANY', memoryBytes: 2 ** 30 }) })
    expect(readOf(config, { cwd: '', 'container.gpu': '' }).body).toEqual({ cwd: null, container: { gpu: null } })
    expect(readOf(config, { workersMax: '' }).faults).toEqual({ workersMax: 'must not be empty' })
  })

  test('says what is wrong in the unit of the field', () => {
    const { faults } = readOf(aConfig(), {
      executionTimeoutMs: '1',
      workersMax: '1.5',
      workersMin: '101',
      env: [{ name: '9x', value: '' }],
    })
    expect(faults).toEqual({
      executionTimeoutMs: 'must be at least 5 s',
      workersMax: 'must be a whole number',
      workersMin: expect.stringMatching(/at most 100 workers|above/),
      env: expect.any(String),
    })
  })

  test('keeps apart what workers see at their start, what holds for jobs to come, and the rest', () => {
    const { changes } = readOf(aConfig(), {
      concurrency: '2',
      executionTimeoutMs: '60',
      workersMax: '4',
      'faults.delayMs': '1',
    })
    expect(Object.fromEntries(changes.map(({ field, effect }) => [field.path, effect]))).toEqual({
      concurrency: 'workers',
      executionTimeoutMs: 'jobs',
      workersMax: 'now',
      'faults.delayMs': 'now',
    })
  })

  test('tells names of variables and never their values', () => {
    const config = aConfig({ env: { OLD: 'secret-1', SAME: 'secret-2', GONE: 'secret-3' } })
    const env = [
      { name: 'OLD', value: 'secret-4' },
      { name: 'SAME', value: 'secret-2' },
      { name: 'NEW', value: 'secret-5' },
    ]
    const { changes } = readOf(config, { env })
    expect(changes.map(({ before, after }) => `${before} ${after}`)).toEqual([
      '3 set adds NEW; changes OLD; removes GONE',
    ])
  })

  test('makes processes of containers and back; what has no meaning then is left out', () => {
    const inContainers = aConfig({ container: containerSettings.parse({}) })
    expect(readOf(inContainers, { container: false, 'container.gpu': 'ANY' }).body).toEqual({ container: null })
    expect(readOf(aConfig(), { container: true, 'container.gpu': 'ANY' }).body).toEqual({ container: { gpu: 'ANY' } })
  })

  test('knows one program: a command takes the place of the handler file', () => {
    expect(readOf(aConfig(), { command: 'node worker.js' })).toMatchObject({
      body: { command: 'node worker.js' },
      effective: { handler: undefined },
      faults: {},
    })
    const image = aConfig({ handler: undefined, container: containerSettings.parse({ image: 'x' }) })
    expect(readOf(image, { container: false }).faults).toMatchObject({ handler: expect.stringContaining('handler') })
  })

  test('sees what somebody else set meanwhile, and only there', () => {
    const config = aConfig()
    const draft = draftOf(config, { workersMax: '7', workersMin: '1' })
    const { conflicts } = readDraft(FIELDS, { ...config, workersMax: 9, idleTimeoutMs: 1 }, draft)
    expect(conflicts).toEqual({ workersMax: '9 workers' })
  })

  test('can be taken back by single settings', () => {
    const config = aConfig({ faults: { delayMs: 500 } })
    const { changes } = readOf(config, { 'faults.delayMs': '', 'faults.throttle': true, cwd: '/tmp' })
    expect(undoBody(config, changes)).toEqual({ faults: { delayMs: 500, throttle: false }, cwd: null })
  })
})

describe('a pasted .env file', () => {
  test('becomes variables', () => {
    expect(readEnvFile('# keys\nexport A=1\nB="two words"\n\nC=\n')).toEqual([
      { name: 'A', value: '1' },
      { name: 'B', value: 'two words' },
      { name: 'C', value: '' },
    ])
  })

  test('reads as the commands read it: a comment behind a value is none of it, and quotes may hold lines', () => {
    expect(readEnvFile('TOKEN=abc # mine\nKEY="one\ntwo"\n')).toEqual([
      { name: 'TOKEN', value: 'abc' },
      { name: 'KEY', value: 'one\ntwo' },
    ])
  })

  test('is told from a name, or a text of another kind', () => {
    for (const text of ['NAME', '', 'some words', 'A=1\nnothing']) expect(readEnvFile(text)).toBe(undefined)
  })
})
