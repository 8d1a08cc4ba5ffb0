import clsx from 'clsx'
import { useId } from 'react'
import { GPU_GROUPS } from '../../../src-main/contract/container.ts'
import { CONTROL, Datalist, Field, Labelled, Toggle } from '../../ui/form/Field.tsx'
import { RegistrySelect } from '../../ui/form/Select.tsx'
import { VariablesField } from '../../ui/form/VariablesField.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { HubFields } from './HubFields.tsx'
import type { NewEndpointForm } from './new-endpoint.ts'

export type ImageFieldsProps = {
  readonly form: NewEndpointForm
  readonly onChange: (change: Partial<NewEndpointForm>) => void
}

const KINDS = ['Takes jobs', 'Answers HTTP'] as const

export function ImageFields({ form, onChange }: ImageFieldsProps) {
  const groups = useId()
  return (
    <>
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
        hint="Environment variables of its containers. To add several, paste a .env file into a name."
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
