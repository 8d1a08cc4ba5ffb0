/** How fields of the schema get their functions. */
import { assertObjectType, type GraphQLFieldMap, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql'
import type { Context } from 'hono'
import type { Caller } from '../../services/keys.ts'

/** What each query knows: who asks, by which request, and the address that they reach the service at, without a slash at the end. */
export type QueryContext = { readonly caller: Caller; readonly c: Context; readonly origin: string }

/** Functions of fields, by their names. */
export type FieldResolvers = Readonly<Record<string, GraphQLFieldResolver<never, QueryContext>>>

/**
 * Gives fields their functions; a field without one is the property of its name. @throws Error for one that is not
 * there
 */
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
