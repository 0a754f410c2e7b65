// In one process, so that one demo serves all of them.
import './tests/apollo.js'
import './tests/cloudevents.js'
import './tests/heyApi.js'
import './tests/openapiFetch.js'
import './tests/typedQueries.js'
import './tests/urql.js'
