import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { GPU_GROUPS } from '../../../src-main/contract/container.ts'
import { POD_DEFAULTS } from '../../../src-main/features/pods/rules.ts'
import { machineQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { SidePanel } from '../../ui/Dialog.tsx'
import { engineWarning } from '../../ui/engine-warning.ts'
import { Datalist, Field, Labelled } from '../../ui/form/Field.tsx'
import { Form, Submit, useFields } from '../../ui/form/Form.tsx'
import { RegistrySelect, Select } from '../../ui/form/Select.tsx'
import { type Variable, VariablesField } from '../../ui/form/VariablesField.tsx'
import { WarningNotice } from '../../ui/PageStates.tsx'

const TEXTS = { name: '', image: '', command: '', ports: '', path: '', size: '', network: '', disk: '', gpu: '' }

type Texts = typeof TEXTS
type Chosen = { readonly variables: readonly Variable[]; readonly volume: string; readonly registry: string }

const VOLUMES = [
  { value: 'network', label: 'Network volume' },
  { value: 'none', label: 'None' },
] as const

type NewPodPanelProps = { readonly onClose: () => void; readonly onCreated: (podId: string) => void }

export function NewPodPanel({ onClose, onCreated }: NewPodPanelProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const groups = useId()
  const { texts, field } = useFields(TEXTS)
  const [chosen, setChosen] = useState<Chosen>({ variables: [], volume: '', registry: '' })
  const choose = (part: Partial<Chosen>) => setChosen((before) => ({ ...before, ...part }))
  const { data: machine } = useQuery(machineQuery(client, 0))
  const create = useMutation({
    mutationFn: () => client.call('podCreate', { body: podBody(texts, chosen) }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: ['pods'] })
      onCreated(id)
    },
  })
  const warning = engineWarning(machine)
  return (
    <SidePanel open onOpenChange={onClose} title="New pod">
      <Form onSubmit={() => create.mutate()} className="flex flex-col gap-4">
        {warning !== undefined && <WarningNotice>{warning} Until then, no pod can be created.</WarningNotice>}
        <Field
          label="Image"
          {...field('image')}
          placeholder="quay.io/jupyter/base-notebook"
          hint="Pulled when the pod starts."
          required
        />
        <Field label="Name" {...field('name')} placeholder="dev" required />
        <Field label="Command" {...field('command')} hint="Replaces the image's command." />
        <Field
          label="Ports"
          {...field('ports')}
          placeholder="8888/http, 22/tcp"
          hint="Published on this machine only, at free ports. HTTP ports become links."
        />
        {machine !== undefined && machine.gpus.length > 0 && (
          <>
            <Field
              label="GPU"
              {...field('gpu')}
              placeholder="none"
              list={groups}
              hint="ANY, a memory group such as ADA_24, or part of a GPU name. Leave empty for none."
            />
            <Datalist id={groups} values={['ANY', ...Object.keys(GPU_GROUPS)]} />
          </>
        )}
        <Labelled
          label="Variables"
          hint="Environment variables of the container. To add several, paste the contents of a .env file into a name field."
        >
          {(ids) => (
            <VariablesField {...ids} value={chosen.variables} onChange={(variables) => choose({ variables })} />
          )}
        </Labelled>
        <Labelled
          label="Volume"
          hint="Kept when the pod restarts. A network volume is also kept when the pod is removed."
        >
          {(ids) => (
            <Select
              {...ids}
              none="Own volume"
              choices={VOLUMES}
              value={chosen.volume}
              onChange={(volume) => choose({ volume })}
            />
          )}
        </Labelled>
        {chosen.volume === 'network' && <Field label="Network volume ID" {...field('network')} required />}
        {chosen.volume !== 'none' && (
          <Field
            label="Volume path"
            {...field('path')}
            placeholder={POD_DEFAULTS.mountPath}
            hint="Mount path in the container."
          />
        )}
        {chosen.volume === '' && (
          <Field
            label="Volume size in GB"
            {...field('size')}
            inputMode="numeric"
            placeholder={String(POD_DEFAULTS.volumeGb)}
            hint="Reported to clients, not enforced."
          />
        )}
        <Field
          label="Container disk in GB"
          {...field('disk')}
          inputMode="numeric"
          placeholder={String(POD_DEFAULTS.diskGb)}
          hint="Limit for data outside the volume, if the Docker engine supports it."
        />
        <Labelled label="Registry credentials" hint="For a private registry; add them with `drydock registry add`.">
          {(ids) => <RegistrySelect {...ids} value={chosen.registry} onChange={(registry) => choose({ registry })} />}
        </Labelled>
        <Submit error={create.error} disabled={create.isPending}>
          Create pod
        </Submit>
      </Form>
    </SidePanel>
  )
}

export function podBody(texts: Texts, { variables, volume, registry }: Chosen): Readonly<Record<string, unknown>> {
  const { name, image, command, ports, path, size, network, disk, gpu } = texts
  return {
    name: name.trim(),
    image: image.trim(),
    args: textIn(command),
    ports: listIn(ports),
    env: Object.fromEntries(variables.filter((one) => one.name !== '').map((one) => [one.name, one.value])),
    gpuTypeIds: listIn(gpu),
    volumeInGb: volume === '' ? numberIn(size) : 0,
    volumeMountPath: textIn(path),
    networkVolumeId: volume === 'network' ? textIn(network) : undefined,
    containerDiskInGb: numberIn(disk),
    registry: textIn(registry),
  }
}

const textIn = (text: string) => (text.trim() === '' ? undefined : text.trim())
const numberIn = (text: string) => (text.trim() === '' ? undefined : Number(text))
const listIn = (text: string) => (text.trim() === '' ? undefined : text.split(',').map((one) => one.trim()))
