import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ModelUse } from '../../../src-main/contract/models.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Confirm, SidePanel } from '../../ui/Dialog.tsx'
import { bytes, exactTime } from '../../ui/format.ts'
import { TextLink } from '../../ui/Links.tsx'
import { useTell } from '../../ui/use-tell.ts'
import { kindText, type ModelRow } from './ModelColumns.tsx'

export function ModelPanel({ model, onClose }: { readonly model: ModelRow; readonly onClose: () => void }) {
  const { name, directory, folder, format, title, precision, parameters, changedAt, sha256, fault, isOutside, uses } =
    model
  const [isAsked, setAsked] = useState(false)
  const { client } = useApp()
  const { done, failed } = useTell()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => client.call('modelRemove', { body: { folder, directory, name } }),
    onSuccess() {
      done(`${name} is deleted.`)
      onClose()
    },
    onError: failed,
    onSettled: () => queries.invalidateQueries({ queryKey: ['models'] }),
  })
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Title', title],
    ['Kind', kindText(model)],
    ['Form', format],
    ['Precision', precision],
    ['Parameters', parameters?.toLocaleString('en')],
    ['Size', bytes(model.bytes)],
    ['Changed', exactTime(changedAt)],
    ['Directory', directory],
    ['Folder', folder],
  ]
  return (
    <SidePanel open onOpenChange={onClose} title={name}>
      <div className="flex flex-col gap-4">
        {fault !== undefined && (
          <p className="rounded-control bg-failed-soft p-2 break-words">The file is damaged: {fault}.</p>
        )}
        {format === 'pickle' && (
          <p className="rounded-control bg-surface-2 p-2">
            A pickle can contain code that runs when it is loaded. Drydock has not checked it; use it only if you trust
            its source.
          </p>
        )}
        {isOutside && (
          <p className="rounded-control bg-surface-2 p-2">
            This is a link to a file outside of the folder, where containers cannot see it. Add the folder of that file.
          </p>
        )}
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {facts.map(
            ([label, value]) =>
              value !== undefined && (
                <div key={label} className="contents">
                  <dt className="text-ink-2">{label}</dt>
                  <dd className="break-words">{value}</dd>
                </div>
              ),
          )}
          {sha256 !== undefined && (
            <>
              <dt className="text-ink-2">SHA-256</dt>
              <dd className="flex items-start gap-1 font-mono text-small break-all">
                {sha256} <CopyButton text={sha256} what="checksum" />
              </dd>
            </>
          )}
        </dl>
        <section aria-labelledby="model-uses">
          <h3 id="model-uses" className="font-medium">
            Used by
          </h3>
          {uses.length === 0 && (
            <p className="text-ink-2">Nothing in the library, no published graph and none of the last 200 runs.</p>
          )}
          <ul>
            {uses.slice(0, SHOWN).map((use) => (
              <li key={`${use.kind} ${use.id}`} className="truncate">
                <span className="text-ink-2">{KIND_TEXTS[use.kind]}</span>{' '}
                <TextLink to={addressOf(use)}>{use.title}</TextLink>
              </li>
            ))}
          </ul>
          {uses.length > SHOWN && <p className="text-ink-2">and {counted(uses.length - SHOWN, 'more use')}</p>}
        </section>
        <Button kind="danger" className="self-end" onClick={() => setAsked(true)} disabled={remove.isPending}>
          Delete {name.length > 30 ? 'model' : name}
        </Button>
      </div>
      {isAsked && (
        <Confirm open onOpenChange={setAsked} action={`Delete ${name}`} onConfirm={() => remove.mutate()}>
          {uses.length > 0 ? `${counted(uses.length, 'use')} of it will then fail. ` : ''}
          The file with {bytes(model.bytes)} will be deleted. This cannot be undone.
        </Confirm>
      )}
    </SidePanel>
  )
}

const SHOWN = 20
const KIND_TEXTS: Readonly<Record<ModelUse['kind'], string>> = {
  workflow: 'Workflow',
  graph: 'Published graph',
  run: 'Run',
}

function addressOf({ kind, id }: ModelUse): string {
  if (kind === 'workflow') return ADDRESS.workflow(id)
  return kind === 'graph' ? ADDRESS.publishedGraph(id) : ADDRESS.run(id)
}
