import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import {
  type ModelDownload,
  type ModelDownloadCreate,
  type ModelNews,
  modelNews,
} from '../../src-main/contract/models.ts'
import { read } from '../browser/read.ts'
import { type AppServices, useApp } from '../store/app-context.ts'
import { useTell } from './use-tell.ts'

type Client = AppServices['client']

export const modelsQuery = (client: Client) => read(client, ['models', 'list'], 'modelList')
export const modelUsesQuery = (client: Client) => read(client, ['models', 'uses'], 'modelUses')
export const modelFoldersQuery = (client: Client) => read(client, ['models', 'folders'], 'modelFolderList')
const newsQuery = (client: Client) => read(client, ['model-news'], 'modelDownloadList')

export function useModelDownloads(): readonly ModelDownload[] {
  const { client } = useApp()
  return useQuery(newsQuery(client)).data?.downloads ?? []
}

export function useLiveModels(follows: boolean): void {
  const { client, store } = useApp()
  const queries = useQueryClient()
  const { data } = useQuery(modelsQuery(client))
  useEffect(() => {
    if (data !== undefined) store.getState().showModels(data.models)
  }, [data, store])
  useEffect(() => {
    if (!follows) return
    return client.follow<ModelNews>({
      operation: 'modelDownloadList',
      event: 'models',
      schema: modelNews,
      onItems(items) {
        const news = items.at(-1)
        queries.setQueryData(newsQuery(client).queryKey, news)
        const known = queries.getQueryData(modelsQuery(client).queryKey)?.revision
        if (known !== news?.revision) void queries.invalidateQueries({ queryKey: ['models'] })
      },
    })
  }, [client, queries, follows])
}

export function useDownloadActions() {
  const { client } = useApp()
  const { failed } = useTell()
  const queries = useQueryClient()
  const onSettled = () => queries.invalidateQueries({ queryKey: ['model-news'] })
  const start = useMutation({
    mutationFn: (body: ModelDownloadCreate) => client.call('modelDownloadCreate', { body }),
    onSettled,
  })
  const change = useMutation({
    mutationFn: ({ id, to }: { readonly id: string; readonly to: 'Retry' | 'Cancel' | 'Remove' }) =>
      client.call(`modelDownload${to}`, { path: { downloadId: id } }) as Promise<unknown>,
    onSettled,
    onError: failed,
  })
  return { start, change }
}
