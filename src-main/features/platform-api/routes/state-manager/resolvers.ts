import { assertObjectType, type GraphQLFieldMap, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql'
import type { Context } from 'hono'
import type { Caller } from '../../../keys/keys.ts'

/** `origin`: the address by which the caller reaches the service, without a trailing slash. */
export type QueryContext = { readonly caller: Caller; readonly c: Context; readonly origin: string }

export type FieldResolvers = Readonly<Record<string, GraphQLFieldResolver<never, QueryContext>>>

export function withResolvers(schema: GraphQLSchema, types: Readonly<Record<string, FieldResolvers>>): GraphQLSchema {
  for (const [type, resolvers] of Object.entries(types)) {
    const fields: GraphQLFieldMap<never, QueryContext> = assertObjectType(schema.getType(type)).getFields()
    for (const [name, resolve] of Object.entries(resolvers)) {
      const field = fields[name]
      if (field === undefined) throw new Error(`the schema has no field ${type}.${name}`)
      field.resolve = resolve
    }
  }
  return schema
}
