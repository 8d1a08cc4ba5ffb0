import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import type { ModelDownloadCreate } from '../../../src-main/contract/models.ts'
import { MODEL_DIRECTORIES, placeOfAddress } from '../../../src-main/domain/models/layout.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Field } from '../../ui/Field.tsx'
import { bytes } from '../../ui/format.ts'
import { modelFoldersQuery, useDownloadActions } from '../../ui/models/use-models.ts'
import { SidePanel } from '../../ui/SidePanel.tsx'

/** What is known of the model that is wanted; empty: nothing. */
export type DownloadPanelProps = { readonly name: string; readonly directory: string; readonly onClose: () => void }

/** A form for an address; what the address tells is filled in. */
export function DownloadPanel({ name, directory, onClose }: DownloadPanelProps) {
  const { client } = useApp()
  const { start } = useDownloadActions()
  const { data } = useQuery(modelFoldersQuery(client))
  const [typed, setTyped] = useState({ url: '', name, directory, sha256: '' })
  const list = useId()
  const told = placeOfAddress(typed.url)
  const change = (part: keyof typeof typed) => (event: { readonly target: { readonly value: string } }) =>
    setTyped((before) => ({ ...before, [part]: event.target.value }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = Object.entries(typed).map(([key, value]) => [key, value.trim()] as const)
    const body = Object.fromEntries(given.filter(([, value]) => value !== '')) as ModelDownloadCreate
    start.mutate(body, { onSuccess: onClose })
  }
  const [first] = data?.folders ?? []
  return (
    <SidePanel open onOpenChange={onClose} title="Download a model">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Address"
          type="url"
          placeholder="https://huggingface.co/OWNER/REPO/resolve/main/model.safetensors"
          hint="Of the file itself. A host that wants a token gets the one that is stored for it."
          required
          value={typed.url}
          onChange={change('url')}
        />
        <Field
          label="Directory"
          list={list}
          placeholder={told.directory ?? 'checkpoints'}
          hint={
            told.directory === undefined
              ? 'Kind of model, as ComfyUI names its folder.'
              : `The address names ${told.directory}.`
          }
          required={told.directory === undefined}
          value={typed.directory}
          onChange={change('directory')}
        />
        <datalist id={list}>
          {MODEL_DIRECTORIES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Field
          label="Name"
          placeholder={told.name ?? 'model.safetensors'}
          hint="Of the file, with folders where it is to lie in some."
          required={told.name === undefined && typed.url !== ''}
          value={typed.name}
          onChange={change('name')}
        />
        <Field
          label="SHA-256"
          hint="If you have it: another file is not taken. What the host tells of it is checked anyway."
          value={typed.sha256}
          onChange={change('sha256')}
        />
        {first !== undefined && (
          <p className="text-small break-words text-ink-2">
            It goes into {first.path}
            {first.freeBytes !== undefined && `, whose disk has ${bytes(first.freeBytes)} left`}.
          </p>
        )}
        {start.error !== null && <ErrorNotice error={start.error} />}
        <Button kind="main" type="submit" disabled={start.isPending} className="self-end">
          Download
        </Button>
      </form>
    </SidePanel>
  )
}
