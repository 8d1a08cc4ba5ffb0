import { useState } from 'react'
import type { HubVariable } from '../../../src-main/contract/worker-repository.ts'
import { Field, Labelled, Toggle } from '../../ui/form/Field.tsx'
import { Select } from '../../ui/form/Select.tsx'
import { type HubForm, hubProblems, type NewEndpointForm, openHub, withPreset } from './new-endpoint.ts'

export type HubFieldsProps = {
  readonly hub: HubForm | undefined
  readonly onChange: (change: Partial<NewEndpointForm>) => void
}

export function HubFields({ hub, onChange }: HubFieldsProps) {
  const [problem, setProblem] = useState<string>()
  const open = async (file: File | undefined) => {
    if (file === undefined) return
    const opened = openHub(await file.text())
    setProblem('problem' in opened ? opened.problem : undefined)
    if ('change' in opened) onChange(opened.change)
  }
  return (
    <>
      <Labelled
        label="Settings from hub.json"
        hint="Optional: .runpod/hub.json of the worker's repository. It asks for the variables and the GPU of the image."
        problem={problem}
      >
        {(ids) => (
          <input
            {...ids}
            type="file"
            accept=".json,application/json"
            onChange={({ target }) => void open(target.files?.[0])}
          />
        )}
      </Labelled>
      {hub !== undefined && <Questions hub={hub} onChange={(next) => onChange({ hub: next })} />}
    </>
  )
}

function Questions({ hub, onChange }: { readonly hub: HubForm; readonly onChange: (hub: HubForm) => void }) {
  const { file, preset, answers } = hub
  const problems = hubProblems(hub)
  const asked = file.config.env.filter(({ input }) => input !== undefined)
  const question = (variable: HubVariable) => (
    <Question
      key={variable.key}
      variable={variable}
      value={answers[variable.key] ?? ''}
      problem={problems[variable.key]}
      onChange={(value) => onChange({ ...hub, answers: { ...answers, [variable.key]: value } })}
    />
  )
  const advanced = asked.filter(({ input }) => input?.advanced === true)
  return (
    <fieldset className="flex flex-col gap-4 rounded-card border border-line p-3">
      <legend className="px-1 font-medium">{file.title}</legend>
      {file.description !== undefined && <p className="text-small text-ink-2">{file.description}</p>}
      {file.config.presets.length > 0 && (
        <Labelled label="Preset" hint="Sets several of the variables below at once.">
          {(ids) => (
            <Select
              {...ids}
              none="None"
              choices={file.config.presets.map(({ name }) => ({ value: name, label: name }))}
              value={preset}
              onChange={(chosen) => onChange(withPreset(hub, chosen))}
            />
          )}
        </Labelled>
      )}
      {asked.filter(({ input }) => input?.advanced !== true).map(question)}
      {advanced.length > 0 && (
        <details open={advanced.some(({ key }) => problems[key] !== undefined) || undefined}>
          <summary className="cursor-pointer text-ink-2">Advanced ({advanced.length})</summary>
          <div className="flex flex-col gap-4 pt-3">{advanced.map(question)}</div>
        </details>
      )}
    </fieldset>
  )
}

type QuestionProps = {
  readonly variable: HubVariable
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

function Question({ variable: { key, input }, value, problem, onChange }: QuestionProps) {
  if (input === undefined) return null
  const { name = key, description = '', type, options, trueValue, falseValue } = input
  const hint = [description, key].filter((part) => part !== '').join(' · ')
  if (options !== undefined)
    return (
      <Labelled label={name} hint={hint} problem={problem}>
        {(ids) => <Select {...ids} none="Not set" choices={options} value={value} onChange={onChange} />}
      </Labelled>
    )
  if (type === 'boolean')
    return (
      <Labelled label={name} hint={hint} problem={problem}>
        {(ids) => (
          <Toggle {...ids} checked={value === trueValue} onChange={(on) => onChange(on ? trueValue : falseValue)} />
        )}
      </Labelled>
    )
  return (
    <Field
      label={name}
      hint={hint}
      problem={problem}
      value={value}
      inputMode={type === 'number' ? 'decimal' : undefined}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
