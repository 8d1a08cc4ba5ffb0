import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { foldersQuery } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { SidePanel } from '../../ui/Dialog.tsx'
import { Form } from '../../ui/form/Form.tsx'
import { ChoosePath, PathField } from '../../ui/form/PathField.tsx'
import { ErrorNotice } from '../../ui/PageStates.tsx'

/** `from`: an example, or `app` for the template, written into it first. */
export type OpenFolderPanelProps = { readonly from: string | undefined; readonly onClose: () => void }

export function OpenFolderPanel({ from, onClose }: OpenFolderPanelProps) {
  const { client } = useApp()
  const [, go] = useLocation()
  const queries = useQueryClient()
  const { data: home, isPending: isBeginning } = useQuery(foldersQuery(client, undefined))
  const [typed, setTyped] = useState<string>()
  const start = home === undefined ? '' : `${home.path.replace(/\/$/, '')}/${from ?? ''}`
  const folder = typed ?? start
  const open = useMutation({
    mutationFn: () => client.call('projectOpen', { body: { folder: trimmed(folder), from } }),
    onSuccess(project) {
      void queries.invalidateQueries({ queryKey: ['projects'] })
      go(ADDRESS.project(project.id))
    },
  })
  const title = from === undefined ? 'Open a folder' : from === 'app' ? 'Start with the template' : `Start with ${from}`
  return (
    <SidePanel open onOpenChange={onClose} title={title}>
      <Form onSubmit={() => open.mutate()} className="flex flex-col gap-4">
        <PathField
          label="Folder"
          wants={from === undefined ? 'folder' : 'new folder'}
          value={folder}
          onChange={setTyped}
          isBeginning={isBeginning}
          hint={
            from === undefined
              ? 'A folder on the machine of the service, with Python files that define endpoints. Nothing in it is run or changed.'
              : 'A new or an empty folder. The files are written there, for you to change.'
          }
        />
        {open.error !== null && <ErrorNotice error={open.error} />}
        <div className="flex justify-end gap-2">
          <ChoosePath wants="folder" title="Choose the folder of an app" from={folder} onPath={setTyped} />
          <Button kind="main" type="submit" disabled={open.isPending || trimmed(folder) === ''}>
            {from === undefined ? 'Open folder' : 'Create and open'}
          </Button>
        </div>
      </Form>
    </SidePanel>
  )
}

function trimmed(folder: string): string {
  const text = folder.trim()
  return text.length > 1 ? text.replace(/\/+$/, '') : text
}
