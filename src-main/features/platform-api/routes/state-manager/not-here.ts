/** The platform's public catalogs, which clients read without a key, do not apply to one machine. */
import { type DocumentNode, GraphQLError, Kind } from 'graphql'
import { AppError } from '../../../../contract/errors.ts'

const NOT_HERE: Readonly<Record<string, { readonly what: string; readonly why: string }>> = {
  listings: { what: 'hub of workers', why: 'deploy an app with `drydock deploy`, or name an image' },
  gpuTypes: { what: 'market of GPUs', why: 'GET /v2/catalog/gpus lists its own' },
  allAiApiPublicConfigs: { what: 'public endpoints', why: 'GET /v2/serverless lists its own' },
}

export function reasonNotHere({ definitions }: DocumentNode): GraphQLError | undefined {
  const fields = definitions.flatMap((one) => ('selectionSet' in one ? one.selectionSet.selections : []))
  for (const field of fields) {
    const reason = field.kind === Kind.FIELD ? NOT_HERE[field.name.value] : undefined
    if (reason !== undefined) return new GraphQLError(new AppError('NOT_ON_THIS_MACHINE', reason).message)
  }
  return undefined
}
