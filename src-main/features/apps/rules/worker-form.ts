/**
 * The form in a repository's `hub.json`: questions, answers and the resulting settings. Source: docs/spec/platform.md,
 * 7.
 */

import type { HubFile, HubVariable } from '../../../contract/worker-repository.ts'
import { GIB } from '../../../lib/units.ts'

export type HubAnswers = Readonly<Record<string, string>>

export function hubDefaults({ config }: HubFile, preset?: string): HubAnswers {
  const chosen = config.presets.find(({ name }) => name === preset)?.defaults ?? {}
  const values = config.env.map((variable) => {
    const given = chosen[variable.key]
    return [variable.key, given === undefined ? firstValue(variable) : valueText(variable, given)] as const
  })
  const more = Object.entries(chosen).filter(([key]) => config.env.every((variable) => variable.key !== key))
  return Object.fromEntries([...values, ...more.map(([key, value]) => [key, String(value)] as const)])
}

function firstValue(variable: HubVariable): string {
  if (variable.value !== undefined) return variable.value
  const first = variable.input?.default
  return first === undefined ? '' : valueText(variable, first)
}

function valueText({ input }: HubVariable, value: string | number | boolean): string {
  if (typeof value !== 'boolean' || input === undefined) return String(value)
  return value ? input.trueValue : input.falseValue
}

export function answerProblem({ key, input }: HubVariable, answer: string): string | undefined {
  if (input === undefined) return undefined
  const { type, min, max, options } = input
  if (answer === '') return input.required === true ? `${key} is required` : undefined
  const choices = options?.map(({ value }) => value) ?? [answer]
  if (!choices.includes(answer)) return `${key} must be one of ${choices.join(', ')}`
  if (type === 'boolean' && answer !== input.trueValue && answer !== input.falseValue)
    return `${key} must be ${input.trueValue} or ${input.falseValue}`
  if (type !== 'number') return undefined
  const number = Number(answer)
  if (Number.isNaN(number)) return `${key} must be a number`
  if (min !== undefined && number < min) return `${key} must be at least ${min}`
  if (max !== undefined && number > max) return `${key} must be at most ${max}`
  return undefined
}

export type HubSettings = {
  readonly env: Readonly<Record<string, string>>
  readonly gpu: string | undefined
  readonly gpuCount: number
  readonly diskBytes: number | undefined
}

export function hubSettings({ config }: HubFile, answers: HubAnswers): HubSettings {
  const { runsOn, gpuIds, gpuCount = 1, containerDiskInGb } = config
  return {
    env: Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== '')),
    gpu: runsOn === 'CPU' ? undefined : gpuOf(gpuIds),
    gpuCount,
    diskBytes: containerDiskInGb === undefined ? undefined : Math.round(containerDiskInGb * GIB),
  }
}

// If GPUs are only excluded, any other one will do.
function gpuOf(ids: string | undefined): string | undefined {
  const names = (ids ?? '').split(',').map((name) => name.trim())
  const wanted = names.filter((name) => name !== '')
  if (wanted.length === 0) return undefined
  return wanted.every((name) => name.startsWith('-')) ? ['ANY', ...wanted].join(',') : wanted.join(',')
}
