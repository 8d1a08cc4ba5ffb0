import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type ImageBuildRequest,
  type ImageBuildView,
  imageBuildView,
} from '../../../../src-main/contract/image-builds.ts'
import { writeDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { read } from '../../../browser/read.ts'
import { useApp } from '../../../store/app-context.ts'
import { useFollowed } from '../../../ui/use-followed.ts'
import { useTell } from '../../../ui/use-tell.ts'
import { useRuns, useTab } from '../store/editor-store.ts'

export type StartImage = Partial<
  Pick<ImageBuildRequest, 'until' | 'tag' | 'bake' | 'update' | 'sources' | 'base' | 'worker'>
>

export function useImageBuild() {
  const { client } = useApp()
  const { failed } = useTell()
  const queries = useQueryClient()
  const { workflowId, editor } = useTab()
  const endpoint = useRuns((state) => state.endpointId)
  const path = { workflowId }
  const queryKey = ['image-build', workflowId]
  const { data, error } = useQuery(read(client, queryKey, 'imageBuildRead', { path }))
  useFollowed<ImageBuildView>(data?.state === 'running', {
    operation: 'imageBuildRead',
    path,
    event: 'image',
    schema: imageBuildView,
    queryKey,
    isLast: ({ state }) => state !== 'running',
  })
  const onSuccess = (view: ImageBuildView) => queries.setQueryData(queryKey, view)
  const start = useMutation({
    mutationFn(request: StartImage) {
      const text = writeJson(writeDocument(editor.getState().document))
      const body = { text, ...(endpoint === undefined ? {} : { endpoint }), ...request }
      return client.call('imageBuildStart', { path, body })
    },
    onSuccess,
    onError: failed,
  })
  const cancel = useMutation({
    mutationFn: () => client.call('imageBuildCancel', { path }),
    onSuccess,
    onError: failed,
  })
  return { view: data, error, start: start.mutate, isStarting: start.isPending, cancel: cancel.mutate }
}
