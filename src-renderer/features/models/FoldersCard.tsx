import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ModelFolder, ModelFolderView } from '../../../src-main/contract/models.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { Form } from '../../ui/form/Form.tsx'
import { ChoosePath } from '../../ui/form/PathField.tsx'
import { bytes } from '../../ui/format.ts'
import { CommandLine, ErrorNotice, QueryState } from '../../ui/PageStates.tsx'
import { modelFoldersQuery } from '../../ui/use-models.ts'

const settingOf = ({ path, directories }: ModelFolderView): ModelFolder => ({
  path,
  ...(directories === undefined ? {} : { directories }),
})

export function FoldersCard() {
  const { client } = useApp()
  const queries = useQueryClient()
  const { data, error } = useQuery(modelFoldersQuery(client))
  const [path, setPath] = useState('')
  const save = useMutation({
    mutationFn: (folders: readonly ModelFolder[]) => client.call('modelFoldersSet', { body: { folders } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['models'] }),
  })
  const folders = data?.folders ?? []
  const without = (one: ModelFolderView) => folders.filter((other) => other !== one).map(settingOf)
  return (
    <Card title="Folders">
      <QueryState data={data} error={error} rows={2} />
      <ul className="divide-y divide-line">
        {folders.map((folder, at) => (
          <li key={folder.path} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
            <div className="min-w-60 flex-1">
              <p className="font-mono text-small break-all">{folder.path}</p>
              <p className="text-small text-ink-2">{statusText(folder, at === 0)}</p>
              {folder.fault !== undefined && (
                <p className="text-small text-failed-ink">It cannot be read: {folder.fault}.</p>
              )}
            </div>
            <span className="flex gap-1">
              {at > 0 && (
                <Button
                  kind="quiet"
                  aria-label={`Download here: ${folder.path}`}
                  disabled={save.isPending}
                  onClick={() => save.mutate([settingOf(folder), ...without(folder)])}
                >
                  Download here
                </Button>
              )}
              {!folder.isDefault && (
                <Button
                  kind="quiet"
                  aria-label={`Remove ${folder.path}`}
                  disabled={save.isPending}
                  onClick={() => save.mutate(without(folder))}
                >
                  Remove
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {folders.length > 0 && folders.every(({ files, fault }) => files === 0 && fault === undefined) && (
        <p className="border-t border-line px-3 py-2 text-ink-2">
          There are no models in {folders.length === 1 ? 'this folder' : 'these folders'} yet. Download one, put files
          into its directories (checkpoints, loras, vae), or add a folder that has some.
        </p>
      )}
      <Form
        onSubmit={() =>
          save.mutate([...folders.map(settingOf), { path: path.trim() }], { onSuccess: () => setPath('') })
        }
        className="flex flex-wrap items-end gap-2 border-t border-line px-3 py-2"
      >
        <div className="min-w-60 flex-1">
          <Field
            label="Add a folder"
            placeholder="/home/you/ComfyUI/models"
            hint="Laid out like the models folder of ComfyUI. Its files stay where they are."
            value={path}
            onChange={({ target }) => setPath(target.value)}
            required
          />
        </div>
        <div className="mb-6 flex gap-2">
          <ChoosePath wants="folder" title="Choose a folder of models" from={path} onPath={setPath} />
          <Button type="submit" disabled={save.isPending}>
            Add folder
          </Button>
        </div>
      </Form>
      {save.error !== null && <ErrorNotice error={save.error} />}
      {data !== undefined && data.configFile !== '' && (
        <div className="flex flex-col gap-1 border-t border-line px-3 py-2">
          <p className="text-small text-ink-2">
            Containers of endpoints that take workflows get the folders, read-only, from their next start on. To use
            them in a ComfyUI on this machine, start it with:
          </p>
          <CommandLine command={`python main.py --extra-model-paths-config ${data.configFile}`} />
        </div>
      )}
    </Card>
  )
}

function statusText(
  { files, bytes: size, freeBytes, mountedAt, isDefault }: ModelFolderView,
  takesDownloads: boolean,
): string {
  return [
    `${counted(files, 'model')}, ${bytes(size)}`,
    freeBytes === undefined ? undefined : `${bytes(freeBytes)} free`,
    takesDownloads ? 'downloads go here' : undefined,
    isDefault ? 'default' : undefined,
    `in containers at ${mountedAt}`,
  ]
    .filter((part) => part !== undefined)
    .join(' · ')
}
