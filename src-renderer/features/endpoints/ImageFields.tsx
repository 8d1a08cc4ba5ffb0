import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { useId, useState } from 'react'
import { GPU_GROUPS } from '../../../src-main/contract/container.ts'
import type { HubVariable } from '../../../src-main/contract/worker-repository.ts'
import { machineQuery } from '../../api-client/system-queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { CONTROL, Datalist, Field, Labelled, Toggle } from '../../ui/form/Field.tsx'
import { RegistrySelect, Select } from '../../ui/form/Select.tsx'
import { VariablesField } from '../../ui/form/VariablesField.tsx'
import { WarningNotice } from '../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { type HubForm, hubProblems, imageWarning, type NewEndpointForm, openHub, withPreset } from './new-endpoint.ts'

export type ImageFieldsProps = {
  readonly form: NewEndpointForm
  readonly onChange: (change: Partial<NewEndpointForm>) => void
}

const KINDS = ['Takes jobs', 'Answers HTTP'] as const

export function ImageFields({ form, onChange }: ImageFieldsProps) {
  const groups = useId()
  const { client } = useApp()
  const workers = useAppState(({ live }) => Object.keys(live.workers).length)
  const { data: machine } = useQuery(machineQuery(client, workers))
  const warning = imageWarning(machine, form.gpu)
  return (
    <>
      {warning !== undefined && <WarningNotice>{warning}</WarningNotice>}
      <HubFields hub={form.hub} onChange={onChange} />
      <div className="flex flex-col gap-1">
        <span className="font-medium">Kind</span>
        <div>
          <SegmentedChoice
            label="Kind"
            choices={KINDS}
            value={form.loadBalanced ? KINDS[1] : KINDS[0]}
            onChange={(kind) => onChange({ loadBalanced: kind === KINDS[1] })}
          />
        </div>
        <p className="text-small text-ink-2">
          {form.loadBalanced
            ? 'Load-balanced: a web server in the image answers requests on its port, and GET /ping with 200.'
            : 'Queue-based: a worker in the image takes jobs with a worker SDK, and each result is stored.'}
        </p>
      </div>
      {form.loadBalanced && (
        <Field
          label="Port"
          value={form.port}
          onChange={(event) => onChange({ port: event.target.value })}
          inputMode="numeric"
          hint="The port of its web server, set as PORT."
        />
      )}
      <Labelled
        label="GPU"
        hint="ANY, a group by memory size like ADA_24, or a part of the name of a GPU. Empty: none."
      >
        {(ids) => (
          <>
            <input
              {...ids}
              value={form.gpu}
              onChange={(event) => onChange({ gpu: event.target.value })}
              placeholder="none"
              list={groups}
              autoComplete="off"
              className={clsx(CONTROL, 'h-7')}
            />
            <Datalist id={groups} values={['ANY', ...Object.keys(GPU_GROUPS)]} />
          </>
        )}
      </Labelled>
      <Labelled
        label="Variables"
        hint="Environment variables of its containers. To add several, paste the contents of a .env file into a name field."
      >
        {(ids) => <VariablesField {...ids} value={form.variables} onChange={(variables) => onChange({ variables })} />}
      </Labelled>
      <Labelled label="Registry credentials" hint="For a private registry; add them with `drydock registry add`.">
        {(ids) => (
          <RegistrySelect {...ids} value={form.registryAuth} onChange={(registryAuth) => onChange({ registryAuth })} />
        )}
      </Labelled>
      <Labelled
        label="Keep one worker ready"
        hint="It starts at once, so that you see the image being pulled and started. Otherwise the first request waits for that."
      >
        {(ids) => <Toggle {...ids} checked={form.ready} onChange={(ready) => onChange({ ready })} />}
      </Labelled>
    </>
  )
}

type HubFieldsProps = {
  readonly hub: HubForm | undefined
  readonly onChange: (change: Partial<NewEndpointForm>) => void
}

function HubFields({ hub, onChange }: HubFieldsProps) {
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
