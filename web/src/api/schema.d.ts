// Made from docs/openapi.json by `npm run types`. Do not edit.
import type { Raw } from "../json/raw";

export interface paths {
    "/api/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the people who sign in with a password
         * @description For administrators.
         */
        get: operations["listAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/accounts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create or change an account
         * @description For administrators. Omitted fields are not changed; a new account needs a password of 12 characters or more. A new password, or closing the account, signs the person out everywhere.
         */
        put: operations["putAccount"];
        post?: never;
        /**
         * Remove an account
         * @description For administrators. The person is signed out everywhere, and tokens of kind person that act under the name are revoked.
         */
        delete: operations["removeAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent_usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the usage and cost of each agent
         * @description Counts work in runs that you may see, by the time it was done; test runs are not counted. The most expensive agents come first, at most 1,000. At most 366 days.
         */
        get: operations["listAgentUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the agents in force, by name */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an agent
         * @description Secrets are shown as ***; sending that back keeps the secret. With Accept: application/yaml, the response is a file.
         */
        get: operations["getAgent"];
        /**
         * Save an agent and put it in force
         * @description YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other comments or another order replaces the text of that version. All problems are listed at once, with paths, lines and columns. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since.
         */
        put: operations["saveAgent"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try an agent without consequences
         * @description Calls the agent's model with an input, at its cost, and shows its answer and the tool calls it would make, each with the verdict of the policy. No tool is called: the model gets samples for answers. Nothing is decided, and nothing is stored except an entry in the audit log. An agent without a model is called only if a test run would call it; otherwise the answer is its sample. A trial ends after 12 turns, 50 seconds or one dollar. Requires the permission to start runs, of the workflow if one is given. With yaml, it is the agent in that text, which need not be saved; that requires the permission to change definitions.
         */
        post: operations["tryAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an agent's usage and cost by day
         * @description Counts work in runs that you may see, without test runs. Days are in UTC, at most 366.
         */
        get: operations["getAgentUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all versions of an agent, newest first */
        get: operations["listAgentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{name}/versions/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show one version of an agent */
        get: operations["getAgentVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List approvals: the inbox */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide several approvals at once
         * @description Each is decided separately; results has the outcome of each. Without versions, the current ones apply.
         */
        post: operations["decideMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject stale approvals
         * @description For administrators. At most 1,000 at a time, oldest first.
         */
        post: operations["expireApprovals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an approval
         * @description acts lists the acts available to you. Send the ETag as If-Match with a decision.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain who may decide, and why
         * @description For each act: whether it is allowed, and by which role or rule, or what is missing. For other people this requires an administrator.
         */
        get: operations["explainAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Comment on a pending approval
         * @description Comments are for reviewers; agents can't see them.
         */
        post: operations["comment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide
         * @description Returns the approval after your decision. version (or If-Match with the ETag) is the one you saw: if it has changed you get 409 version_mismatch, and if it is settled 409 already_decided with decided_by, decided_at and act.
         */
        post: operations["decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview changes
         * @description Applies a JSON merge patch to the proposal and checks the result. Nothing is stored.
         */
        post: operations["previewChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List possible recipients of an approval
         * @description Known people (with an account or a personal token, or who have signed in before) and roles, for callers who may delegate or escalate this approval. to is the value for a decision. Excluded are you, disabled accounts, people who have delegated it and a requester who may not decide. Administrators see all roles of a person, others only those that this approval asks.
         */
        get: operations["listRecipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries, newest first
         * @description Decisions, changes, starts and refused requests. For administrators, and roles with the permission audit. Values that can be deleted are in values; the chain contains their salted digests.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download audit entries as a table, newest first
         * @description For spreadsheets: text that a spreadsheet would read as a formula is prefixed with '. To verify the log, download it as audit.jsonl.
         */
        get: operations["tabulateAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit.jsonl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the whole audit log, for verification elsewhere
         * @description One entry per line, oldest first; the last line is the signed head. Verify it with: assent audit verify FILE.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a proof that one signed head of the audit log continues another
         * @description Heads are identified by their last entry, as in N:HASH. Verify it with: assent audit verify FILE --head N:HASH.
         */
        get: operations["proveAuditConsistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign the head of the audit log, and show it with the public keys
         * @description Store head elsewhere: it reveals a truncated or rewritten log.
         */
        get: operations["getAuditHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Verify the audit log */
        get: operations["verifyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the channels in force, by name */
        get: operations["listChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a channel
         * @description Secrets are hidden. With Accept: application/yaml, the response is a file.
         */
        get: operations["getChannel"];
        /**
         * Save a channel and put it in force
         * @description YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other comments or another order replaces the text of that version. All problems are listed at once, with paths, lines and columns. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since. A disabled channel is enabled again.
         */
        put: operations["saveChannel"];
        post?: never;
        /**
         * Delete a channel
         * @description Messages that were not sent are suppressed. The response shows it as it was.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channels/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message on a channel
         * @description To its room, or to you. If it arrives, a disabled channel is enabled again.
         */
        post: operations["testChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliverables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List results for people, newest first
         * @description For each name in a run, the newest version is listed; see versions.
         */
        get: operations["listDeliverables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliverables/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a deliverable */
        get: operations["getDeliverable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliverables/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a deliverable
         * @description Always as an attachment, and never with a type that a browser would run. Range requests are supported. Content stored elsewhere returns 404: see its url.
         */
        get: operations["downloadDeliverable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliverables/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a deliverable inside a page
         * @description Text of any kind, including HTML and SVG, is sent as text/plain and truncated at 256 KiB, or with full at 16 MiB: then the header X-Assent-Cut is true. Masked values are shown as •••, and X-Assent-Masked is true. PNG, JPEG, GIF and WebP images are sent unchanged. Everything else returns 415: download it. The type is detected from the bytes, whatever the agent reported.
         */
        get: operations["previewDeliverable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliverables/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the status of a deliverable
         * @description Also after the end of the run. Only the newest version can be changed: if there is a newer one than version, or its status is not was, the response is 409 version_mismatch.
         */
        post: operations["markDeliverable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliverables/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all versions of a deliverable, newest first
         * @description The id of any version identifies the deliverable. Each version has its own id and bytes.
         */
        get: operations["listDeliverableVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages, newest first
         * @description With their recipients and status. Administrators see all messages, others only their own. Messages are listed for 90 days.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resend a message that failed or was suppressed */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document as a page */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events (server-sent events)
         * @description id is the number in the feed, event the type, data the event on one line. Last-Event-ID resumes without gaps or duplicates and overrides after. A comment is sent every 15 seconds. policy.changed, definition.changed and trigger.delivered belong to no run and have no id: after a disconnection, reload the documents in force.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what was learned about tools
         * @description Each completed run counts once: which tools it used, together, one after the other, and with each other's results. Older runs count less. Searches for tools use it.
         */
        get: operations["getGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget what was learned
         * @description For administrators. Forgets what was learned so far from a run, from a workflow, about a tool, or everything. It stays forgotten when the graph is rebuilt; later runs are learned from again.
         */
        post: operations["forgetGraph"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild the graph from the logs
         * @description For administrators. The result is the same, unless the logs are from a release that learned less, or fields have been declared sensitive since. Runs and searches continue.
         */
        post: operations["rebuildGraph"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List requests of past runs and the tools that served them, newest first
         * @description For administrators. Sensitive values are masked in requests.
         */
        get: operations["listLearnedRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/graph/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was learned from each run, newest first
         * @description For administrators. The graph is derived from these entries.
         */
        get: operations["listRunsTaught"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/hooks/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a webhook, which starts a run
         * @description For other systems. A delivery that is not authenticated as the trigger requires is refused with 401. A repeated delivery gets 200 with the run that the first one started; a ping from GitHub gets 200 without a run. At most 1 MiB of JSON.
         */
        post: operations["receiveDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/insights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show decision metrics
         * @description Approvals count by when they were settled, runs by when they started. At most 366 days.
         */
        get: operations["getInsights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lessons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List lessons, newest first */
        get: operations["listLessons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lessons.jsonl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download lessons, one JSON object per line */
        get: operations["exportLessons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lessons/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Correct or remove a lesson
         * @description Changes what agents receive, not the decision that the lesson comes from. An empty correction restores it. Recorded in the audit log. Requires the permission to change definitions. With version, or If-Match with the ETag of your last correction, it is refused if the lesson was corrected since: 409 or 412 version_mismatch.
         */
        put: operations["correctLesson"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mcp_servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the MCP servers in force with the state of their connections
         * @description The state is that of the last request to each server; this list sends none. The tools of a server are in the list of tools.
         */
        get: operations["listMCPServers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mcp_servers/{name}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask an MCP server for its tools now
         * @description Connects to the server, or starts it, as a run would. 200 also if it fails: the state says so. 409 if it does not respond within 20 seconds; the request continues.
         */
        post: operations["checkMCPServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the signed-in user */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your linked accounts in other programs, such as Slack */
        get: operations["listMyLinks"];
        put?: never;
        /**
         * Link an account in another program, which can then decide as you
         * @description Link only an account of your own: decisions made with it are recorded as yours. Only for people who are signed in. The token is valid once.
         */
        post: operations["addMyLink"];
        /** Unlink one of your accounts in other programs */
        delete: operations["removeMyLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/links/offers/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the account in another program that a link is about
         * @description Nothing is linked yet. The token is that of the link in the message; it is valid for ten minutes.
         */
        get: operations["getLinkOffer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show your notification preferences */
        get: operations["getMyNotifications"];
        /**
         * Set your notification preferences
         * @description The body replaces your preferences.
         */
        put: operations["saveMyNotifications"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description For people who signed in with one. All your sessions end, and the response sets a cookie for a new one. Wrong old passwords count as attempts to sign in.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your browsers that get push messages, those used last first */
        get: operations["listMyPushes"];
        /**
         * Subscribe this browser to push messages, or renew its subscription
         * @description The body is what PushManager.subscribe returned. A browser belongs to the person who subscribed last, and is valid for 30 days from then. It is removed when the session ends by signing out or being revoked, and when its push service reports that it is gone. Not for tokens. At most 20 per person; a new one replaces the least recently used.
         */
        put: operations["subscribeMyPush"];
        post?: never;
        /** Stop push messages in one of your browsers, or in all */
        delete: operations["unsubscribeMyPush"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/push/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test message to one of your browsers */
        post: operations["testMyPush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions, newest first */
        get: operations["listMySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions */
        delete: operations["endMySession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tokens that act in your name */
        get: operations["listMyTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a token that acts in your name */
        delete: operations["removeMyToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the default channels of each event
         * @description Version 0 until one is saved: what applies without it. With Accept: application/yaml, the response is a file.
         */
        get: operations["getNotifications"];
        /**
         * Set the default channels of each event
         * @description YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other comments or another order replaces the text of that version. All problems are listed at once, with paths, lines and columns. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since.
         */
        put: operations["saveNotifications"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenAPI"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people/stand_ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List stand-ins
         * @description Current and future stand-ins. Administrators see all, others those that concern them.
         */
        get: operations["listStandIns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people/{name}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain what someone may do, and why
         * @description For each action: whether it is allowed, and by which role or rule, or what is missing, as requests are authorized. It is about runs that others own; those who own a run, or are asked by name, may do more. For other people this requires an administrator.
         */
        get: operations["explainPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/people/{name}/stand_in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a stand-in
         * @description For the person and for administrators. 404 if there is no current or future one.
         */
        get: operations["getStandIn"];
        /**
         * Set a stand-in for an approver who is away
         * @description You can set your own; administrators can set anyone's. From from (default: now) until until, at most a year, to may decide approvals that ask name, by name or by a role of name's account. There is one stand-in at a time: this replaces an earlier one. It is not transitive: a stand-in for to does not stand in for name.
         */
        put: operations["putStandIn"];
        post?: never;
        /**
         * Remove a stand-in
         * @description You can remove your own; administrators can remove anyone's. It takes effect with the response.
         */
        delete: operations["removeStandIn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suggest a plan for an intent in plain words
         * @description Chooses tools and agents, puts them in order and maps their arguments, with a confidence and the reason for every step. Missing values become the input of the workflow. Nothing is saved, published or run. If nothing fits, found is false and the candidates are the nearest tools. To name an agent that arranges the candidates requires the permission to change definitions.
         */
        post: operations["suggestPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the policy in force
         * @description With its rules in order of evaluation. With Accept: application/yaml, the response is a file.
         */
        get: operations["getPolicy"];
        /**
         * Save the policy and put it in force
         * @description YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other comments or another order replaces the text of that version. All problems are listed at once, with paths, lines and columns. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since. A policy that would have approved what people rejected in the last 30 days is refused, unless accept_risk gives a reason.
         */
        put: operations["savePolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/backtest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Backtest a policy against past decisions
         * @description Nothing changes. Returns what would have been decided differently, and everything that people rejected or changed and the policy would have approved.
         */
        post: operations["backtestPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/emergency_stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn the emergency stop on or off
         * @description While it is on, no rule approves anything, in any process, even after a restart. It takes effect with the response. People are asked instead, and a timeout that would let a run continue pauses it.
         */
        post: operations["stopAutoApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a version of the policy in force
         * @description With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since.
         */
        post: operations["publishPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sampled automatic approvals to review, newest first */
        get: operations["listSamples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/samples/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Review a sampled automatic approval */
        post: operations["reviewSample"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest rules from past decisions
         * @description None of them would have approved what people rejected or changed. Each expires after 30 days or 200 uses.
         */
        get: operations["listSuggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/suggestions/{id}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add a suggested rule to a draft of the policy */
        post: operations["adoptSuggestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Evaluate a policy for one case, rule by rule */
        post: operations["testPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check a policy without saving it */
        post: operations["validatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all versions of the policy, newest first */
        get: operations["listPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/versions/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show one version of the policy */
        get: operations["getPolicyVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policy/versions/{n}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare a version of the policy with another */
        get: operations["diffPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/push/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the public key that browsers subscribe with
         * @description It is the applicationServerKey of PushManager.subscribe, and stays the same.
         */
        get: operations["getPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the roles, by name
         * @description For administrators. Built-in roles, those of documents, which replace built-in ones of the same name, and withdrawn ones. Other roles are only names: they let their holders decide the approvals that ask for them.
         */
        get: operations["listRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Save a role and put it in force
         * @description For administrators, never for programs. It takes effect with the next request of its holders. A built-in role is replaced by a document of the same name; admin cannot be. 409 if a role of that name was withdrawn and still has holders (needed_by), who would have its permissions again: restore accepts that. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since.
         */
        put: operations["saveRole"];
        post?: never;
        /**
         * Withdraw a role
         * @description For administrators, never for programs. From their next request on, it grants its holders nothing; its versions are kept. 409 with needed_by if a published document, an account, a token or a stand-in needs it. Built-in roles cannot be withdrawn; withdrawing a document that replaces one restores it. The response shows the role as it was.
         */
        delete: operations["withdrawRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs, newest first */
        get: operations["listRuns"];
        put?: never;
        /**
         * Start a run
         * @description Starts a run of the published version of a workflow, or of the version given. The response comes when the start is durable.
         */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel many runs, or see how many that would be
         * @description Cancels the runs with these ids, or all matching runs that have not ended, at most 1,000 at a time. With just_count, nothing is cancelled.
         */
        post: operations["cancelRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a run
         * @description The ETag is the sequence number: with If-None-Match, an unchanged run returns 304.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Steer a run
         * @description The response comes when the command is durable. An id in the body, or an Idempotency-Key, makes it safe to send again.
         */
        post: operations["commandRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/deliverables.zip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download all deliverables of a run */
        get: operations["zipDeliverables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the log of a run, oldest first */
        get: operations["listRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork a run from any event
         * @description The new run has the log up to and including at_seq, changed by edits. Recorded results are reused, and open approvals are requested again.
         */
        post: operations["forkRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/payloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete the payloads of a run
         * @description For administrators. Permanently deletes input, outputs, arguments, reasoning, comments, messages, deliverables and files of a run that has ended, and of its sub-runs. Ids, types, times, people, statuses and the audit log are kept. Forks and retries contain copies: they are listed, and deleted with with_copies. It is safe to repeat.
         */
        delete: operations["forgetRun"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a self-contained proof of a run
         * @description Its events, the audit entries about it with their inclusion proofs, and the public keys. The export is recorded in the audit log. Verify it with: assent audit verify FILE.
         */
        get: operations["proveRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a run that failed, was paused, or stopped at a limit
         * @description The run continues from its last good state; recorded results are reused. A run that stopped at a limit needs limits above what its agent has used; people with the permissions command and approve may set them.
         */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a run
         * @description A new run with the same input and version.
         */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the snapshots of a run, oldest first
         * @description A snapshot is saved after each step or layer if the workflow sets snapshots, or by the command snapshot. To continue from one, fork the run at its seq; any other event works as well. A request scans at most 10,000 events: while there is a next_cursor, continue with it, even if a page is empty.
         */
        get: operations["listSnapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a run as it was
         * @description Replays the log up to and including an event. No model or tool is called.
         */
        get: operations["getRunState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/steps/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a step with all its tries and calls
         * @description As it is now, or as it was at an event. No model or tool is called.
         */
        get: operations["getStep"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the schedules in force, by name
         * @description Those of workflows that you may see, with their next times.
         */
        get: operations["listSchedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a schedule with its next five times
         * @description With Accept: application/yaml, the response is a file.
         */
        get: operations["getSchedule"];
        /**
         * Save a schedule and put it in force
         * @description YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other comments or another order replaces the text of that version. All problems are listed at once, with paths, lines and columns. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since. Requires permission to start the workflow. It starts nothing for times before it was saved.
         */
        put: operations["saveSchedule"];
        post?: never;
        /**
         * Delete a schedule
         * @description Runs that it has started continue, and its versions are kept. The response shows it as it was.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of a schedule now
         * @description Ignores overlap, and works even if the schedule is disabled. You own the run.
         */
        post: operations["runSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search approvals, runs and workflows
         * @description Finds entries in which every word of q begins a word that is visible to you: in subject, title, workflow, step, agent, tool, people and ids. Case and accents do not matter, and everything but letters and digits separates words. Up to limit of each kind: pending approvals by urgency, runs and settled approvals from the newest back, workflows by name. If the store is encrypted, subjects and titles are searched in the newest entries only, and partial is set if there are more.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the settings in force and where they come from
         * @description For administrators. Read only: settings are changed by flags, variables or the configuration file. Secrets are never shown, only whether they are set.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the available sign-in methods */
        get: operations["getSignIn"];
        put?: never;
        /**
         * Sign in with a name and a password
         * @description The response sets a cookie. It does not reveal whether the name or the password is wrong; after some failures, attempts are throttled, for longer each time.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Go to the identity provider to sign in */
        get: operations["beginSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Return from the identity provider
         * @description For browsers. Errors are returned as a problem, or by a redirect to /?sign_in=CODE if the client prefers a page.
         */
        get: operations["finishSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out, here or everywhere */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subjects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List names from the identity provider
         * @description For administrators. A name belongs to one person permanently; label is their current name at the provider. Documents, delegations and stand-ins refer to people by name.
         */
        get: operations["listSubjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subjects/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Release a name of the identity provider
         * @description For administrators. Sessions under the name end, and tokens of kind person that act under it are revoked. Other people with that name can then sign in, under names of their own: everything under the name stays with its owner. With hand_over, the next person who signs in under the name gets it with everything under it: runs, assignments, votes. Use it when the provider now knows the same person under another subject; it also works for names of removed accounts.
         */
        delete: operations["releaseSubject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the templates for new workflows, by name
         * @description Each with its agents and an input to try it with.
         */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens, oldest first
         * @description For administrators. Secrets are not included.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description For administrators. The secret is in this response only: the same Idempotency-Key does not return it again. A token acts under its name, with its roles and its kind: services and agents never decide. Only people create tokens, and only a person who signed in (not with a token) creates one of kind person.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description For administrators. It takes effect with the response.
         */
        delete: operations["removeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or search everything that can be called
         * @description Built-in, HTTP and command tools, the tools of MCP servers, and agents (agent:NAME), by name. With q, those that fit a request in plain words, the best first, with the reasons. A server that does not answer in time is described by its last list, and notes say so.
         */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the triggers in force, by name
         * @description Those of workflows that you may see, each with its last delivery.
         */
        get: operations["listTriggers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/triggers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a trigger with its last deliveries
         * @description Secrets are shown as ***; sending that back keeps the secret. With Accept: application/yaml, the response is a file.
         */
        get: operations["getTrigger"];
        /**
         * Save a trigger and put it in force
         * @description YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other comments or another order replaces the text of that version. All problems are listed at once, with paths, lines and columns. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since. Requires permission to start the workflow.
         */
        put: operations["saveTrigger"];
        post?: never;
        /**
         * Delete a trigger
         * @description Deliveries to it get 404. Runs that it has started continue, and its versions are kept. The response shows it as it was.
         */
        delete: operations["deleteTrigger"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/triggers/{name}/deliveries/{delivery}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start another run from a delivery
         * @description With the trigger's current mapping, even if the trigger is disabled. Requires permission to start the workflow. You own the run.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workflows, by name
         * @description Published workflows, and for each the newest draft saved after it.
         */
        get: operations["listWorkflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check a workflow without saving it */
        post: operations["validateWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the published version of a workflow
         * @description With Accept: application/yaml, the response is a file.
         */
        get: operations["getWorkflow"];
        /**
         * Save a workflow
         * @description YAML or JSON. 201 with the new version, or 200 with the same one if nothing changed; YAML with other comments or another order replaces the text of that version. All problems are listed at once, with paths, lines and columns. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since. Without publish=true it is a draft.
         */
        put: operations["saveWorkflow"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{name}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare two versions of a workflow, step by step and gate by gate */
        get: operations["diffWorkflowVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{name}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the data that steps would get; nothing runs
         * @description Runs the workflow in memory: every agent returns its sample, and every approval is given. With yaml, it is the workflow in that text, which need not be saved.
         */
        post: operations["previewWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{name}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a version in force
         * @description Runs that have started keep the version they started with. Publishing an older version restores it. With If-Match, the ETag of the version you saw, it is refused with 412 version_mismatch if another version has come into force since.
         */
        post: operations["publishWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all versions of a workflow, newest first */
        get: operations["listWorkflowVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{name}/versions/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show one version of a workflow */
        get: operations["getWorkflowVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{name}/working_copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the working copy of a workflow */
        get: operations["getWorkingCopy"];
        /**
         * Change the working copy of a workflow
         * @description The text need not be valid. If the working copy was changed since revision, the response is 409 version_mismatch, and nothing is changed.
         */
        put: operations["saveWorkingCopy"];
        post?: never;
        /**
         * Discard the working copy of a workflow
         * @description Its versions are kept. The response shows it as it was. Send its revision, or its ETag as If-Match.
         */
        delete: operations["deleteWorkingCopy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/working_copies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the workflows that people are editing, by name */
        get: operations["listWorkingCopies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events and control runs (WebSocket)
         * @description The same events as JSON text messages. Send commands as {id, run, command: {type, …}}; they are answered in order by {id, ok, seq} or {id, ok: false, error}. Pages of other sites are refused.
         */
        get: operations["openSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is alive */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that requests can be served
         * @description 503 while starting, draining, or without the store.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Whether an action is allowed, and why. */
        Ability: {
            /** @description The action, such as start, audit or approve. */
            action: components["schemas"]["AccessAction"];
            /** @description True if it is allowed. */
            allowed: boolean;
            /** @description The role or rule that allows it, or what is missing. */
            because: string;
            /** @description The action in words. */
            does: string;
            /** @description The roles that allow it. */
            roles: string[];
            /** @description Administrators are shown the roles that would allow it. Empty if it is allowed, or if no role would. */
            with_role: string[];
        };
        /** @description The receipt for a durable command. */
        Accepted: {
            /** @description Always true. */
            accepted: boolean;
            /**
             * Format: int64
             * @description The number of the newest event of the run.
             */
            seq: number;
        };
        /** @description The actions that a person may take on an approval, and why. */
        Access: {
            /** @description Seeing, commenting and every act. */
            acts: components["schemas"]["Finding"][];
            /** @description The id of the approval. */
            approval: string;
            /** @description The kind. */
            kind: components["schemas"]["ActorKind"];
            /** @description The roles that were checked. */
            roles: string[];
            /** @description The status. */
            status: components["schemas"]["ApprovalStatus"];
            /** @description The person. */
            user: string;
            /** @description The workflow. */
            workflow: string;
        };
        /**
         * @description Something that a person or program may want to do.
         * @enum {string}
         */
        AccessAction: "see" | "look" | "start" | "pause" | "resume" | "raise" | "cancel" | "steer" | "fork" | "comment" | "review" | "write" | "stop" | "expire" | "access" | "audit" | "stand_in" | "explain" | "forget" | "learned" | "see_plain" | "approve" | "modify" | "reject" | "choose" | "submit" | "escalate" | "request_revision" | "delegate";
        /** @description A person who signs in with a password. */
        Account: {
            /**
             * Format: date-time
             * @description When an administrator last changed it.
             */
            changed_at: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description True if the account is disabled. */
            disabled: boolean;
            /** @description The name. */
            name: string;
            /** @description The roles. */
            roles: string[];
            /**
             * Format: date-time
             * @description When the person last signed in; null if never.
             */
            signed_in_at: string | null;
        };
        /** @description The account to create, or the changes to it. */
        AccountChange: {
            /** @description Whether the account is disabled; unchanged if omitted. */
            disabled?: boolean;
            /** @description A new password of at least 12 characters; unchanged if omitted. */
            password?: string;
            /** @description All roles of the person; unchanged if omitted. */
            roles?: string[];
        };
        /** @description All accounts. */
        AccountList: {
            /** @description The items of this page. */
            items: components["schemas"]["Account"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description How often reviewers agreed with a rule. */
        Accuracy: {
            /**
             * Format: int64
             * @description The number that reviewers agreed with.
             */
            agreed: number;
            /**
             * Format: int64
             * @description The number of reviewed samples.
             */
            reviewed: number;
            /** @description The rule. */
            rule: string;
            /**
             * Format: int64
             * @description The number of samples.
             */
            samples: number;
            /** @description Agreed divided by reviewed; 0 without reviews. */
            share: number;
        };
        /**
         * @description An action that a person may take on an approval.
         * @enum {string}
         */
        Act: "approve" | "modify" | "reject" | "choose" | "submit" | "escalate" | "request_revision" | "delegate";
        /** @description The action that an approval is about. */
        Action: {
            /** @description The arguments of the tool call. */
            args?: Raw | null;
            /** @description The JSON Schema that changed arguments must match. */
            args_schema?: Raw | null;
            /** @description Binds the approval to the content shown. */
            digest: string;
            /** @description The documents that would be used, with their versions. The approval is bound to them. */
            implementation?: components["schemas"]["Implementation"][];
            /** @description The operation as policy rules see it, such as send_email. */
            operation?: string;
            /** @description Whether it can be undone: yes, no or unknown; omitted if nothing is about to run. */
            reversible?: string;
            /** @description The tool or operation that undoes it; none: it cannot be undone; omitted: unknown. */
            reversible_by?: string;
            /** @description The tool. */
            tool?: string;
            /** @description step, tool_call, result, run, output, limit or layer. */
            type: string;
        };
        /** @description The person or program that did something. */
        Actor: {
            /** @description The identity provider that vouches for the actor; none if this server does. */
            issuer?: string;
            /** @description What sort of actor. */
            kind: components["schemas"]["ActorKind"];
            /** @description The name. The name of a person is never reused for another person. */
            name?: string;
            /** @description The identity at the issuer. Kind, issuer and subject identify the actor, whatever its name. */
            subject?: string;
        };
        /**
         * @description The kind of actor.
         * @enum {string}
         */
        ActorKind: "person" | "service" | "agent" | "schedule" | "trigger" | "policy" | "system" | "nobody";
        /** @description A step that would be added to a running plan. */
        AddedStep: {
            /** @description The questions that people would be asked about it. Rules of the policy may ask more. */
            asks: components["schemas"]["StepAsk"][];
            /** @description agent NAME, tool NAME, workflow NAME or people. */
            by: string;
            /** @description The steps that would wait for it. */
            needed_by: string[];
            /** @description The steps that it would wait for. */
            needs: string[];
            /** @description The failed step in whose place it would be put; empty: none. */
            replaces?: string;
            /** @description How dangerous it is, as far as the step and the tool declare it. */
            risk?: components["schemas"]["RiskLevel"];
            /** @description The step. */
            step: string;
        };
        /** @description The period on which a suggestion is based. */
        Adoption: {
            /** @description How far back: a duration such as 30d, or a time. */
            since?: string;
        };
        /** @description Metrics of one agent. */
        AgentFigures: {
            /** @description The agent that does the work. */
            agent: string;
            /**
             * Format: int64
             * @description The number of failed steps.
             */
            failures: number;
            /** @description Approvals of its work, by status. */
            settled: {
                [key: string]: number;
            };
        };
        /** @description Usage and cost of one agent. */
        AgentUsage: {
            /** @description The agent that does the work. */
            agent: string;
            /** @description The cost in US dollars, as a decimal. */
            cost_usd: string;
            /**
             * Format: int64
             * @description Steps that failed.
             */
            failed_steps: number;
            /**
             * Format: date-time
             * @description When it last worked in the period; null if it did not.
             */
            last_used_at: string | null;
            /**
             * Format: int64
             * @description Calls of models.
             */
            llm_calls: number;
            /**
             * Format: int64
             * @description Runs in which it worked.
             */
            runs: number;
            /**
             * Format: int64
             * @description Steps that it completed or that failed.
             */
            steps: number;
            /**
             * Format: int64
             * @description Tokens read by models.
             */
            tokens_in: number;
            /**
             * Format: int64
             * @description Tokens written by models.
             */
            tokens_out: number;
        };
        /** @description Usage and cost of one agent, by day. */
        AgentUsageDays: {
            /** @description The agent that does the work. */
            agent: string;
            /** @description The cost in US dollars, as a decimal. */
            cost_usd: string;
            /**
             * Format: date-time
             * @description When counting began, if that was within the period; null: everything is counted.
             */
            counted_since: string | null;
            /** @description Every day of the period. */
            days: components["schemas"]["UsageDay"][];
            /**
             * Format: int64
             * @description Steps that failed.
             */
            failed_steps: number;
            /**
             * Format: date-time
             * @description When it last worked in the period; null if it did not.
             */
            last_used_at: string | null;
            /**
             * Format: int64
             * @description Calls of models.
             */
            llm_calls: number;
            /**
             * Format: int64
             * @description Runs in which it worked.
             */
            runs: number;
            /**
             * Format: date-time
             * @description The start of the period.
             */
            since: string;
            /**
             * Format: int64
             * @description Steps that it completed or that failed.
             */
            steps: number;
            /**
             * Format: int64
             * @description Tokens read by models.
             */
            tokens_in: number;
            /**
             * Format: int64
             * @description Tokens written by models.
             */
            tokens_out: number;
            /**
             * Format: date-time
             * @description The end of the period.
             */
            until: string;
        };
        /** @description Usage and cost of agents in a period. */
        AgentUsages: {
            /**
             * Format: date-time
             * @description When counting began, if that was within the period; null: everything is counted.
             */
            counted_since: string | null;
            /** @description Agents that were used, the most expensive first. */
            items: components["schemas"]["AgentUsage"][];
            /**
             * Format: date-time
             * @description The start of the period.
             */
            since: string;
            /**
             * Format: date-time
             * @description The end of the period.
             */
            until: string;
        };
        /** @description The pending approvals represented by one row of a grouped list. */
        Alike: {
            /**
             * Format: int64
             * @description The number of approvals in the row.
             */
            count: number;
            /** @description Their ids, in the order of the list; the first is the row's own. */
            ids: string[];
        };
        /** @description An approval, pending or settled. */
        Approval: {
            /** @description What would happen if people say yes. */
            action: components["schemas"]["Action"];
            /** @description The acts available to you now. */
            acts: components["schemas"]["Act"][];
            /** @description The agent that does the work. */
            agent: string;
            /** @description In a list with group=alike: the approvals in this row. Omitted if it is the only one. */
            alike?: components["schemas"]["Alike"];
            /** @description The people asked by name. */
            assignees: string[];
            /** @description People asked by name who are away, with their stand-ins. */
            away?: components["schemas"]["Away"][];
            /** @description The model's id of the tool call. */
            call?: string;
            /** @description What has changed since an earlier approval; omitted if nothing has. */
            changed?: components["schemas"]["VersionChange"][];
            /** @description Comments, oldest first. */
            comments: components["schemas"]["Comment"][];
            /** @description The agent's confidence, from 0 to 1. */
            confidence: number | null;
            /** @description The source of the confidence: the least certain result that the action is based on. */
            confidence_source: components["schemas"]["ConfidenceSource"] | null;
            /**
             * Format: date-time
             * @description When on_timeout applies; null without a timeout.
             */
            deadline_at: string | null;
            /** @description The decisions so far, oldest first. */
            decisions: components["schemas"]["RecordedDecision"][];
            /** @description The answer at the deadline if on_timeout is default: the id of an option, the data, or changes to what is proposed. */
            default?: Raw | null;
            /** @description A longer description. */
            description: string;
            /**
             * Format: int64
             * @description The number of draft deliverables of the run, which are approved together with the proposal. Omitted if there are none.
             */
            drafts?: number;
            /** @description Who may also decide since it was escalated. */
            escalated_to?: string[];
            /** @description The estimated cost, as a decimal; null if unknown. */
            estimated_cost_usd: string | null;
            /** @description The person you would decide for as a stand-in, if it does not ask you directly. */
            for?: string;
            /** @description The gate. */
            gate: string;
            /** @description The id. */
            id: string;
            /** @description The effect of a rejection. */
            if_denied: string;
            /**
             * Format: int64
             * @description The element of a map, from 0.
             */
            index?: number;
            /** @description The JSON Schema that submitted data must match; null if none. */
            input_schema: Raw | null;
            /** @description The kind. */
            kind: components["schemas"]["ApprovalKind"];
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description What a rejection does to the run. */
            on_reject?: components["schemas"]["OnReject"];
            /** @description The effect of the deadline. */
            on_timeout?: components["schemas"]["TimeoutAct"];
            /** @description The options of a choice. */
            options: components["schemas"]["Option"][];
            /** @description The original proposal, if it was changed. */
            original?: Raw | null;
            /** @description The outcome; null while it is pending. */
            outcome: components["schemas"]["Outcome"] | null;
            /**
             * Format: date-time
             * @description When the run is paused if there is no answer; null if never.
             */
            pause_at: string | null;
            /** @description The proposal. */
            proposed: Raw | null;
            /** @description How many are needed, and how many have agreed. */
            quorum: components["schemas"]["Quorum"];
            /** @description Why people are asked. */
            reason: components["schemas"]["ApprovalReason"];
            /** @description The agent's reasoning. */
            reasoning: string;
            /**
             * Format: date-time
             * @description The time of the next reminder; null if never.
             */
            remind_at: string | null;
            /**
             * Format: date-time
             * @description When it was opened.
             */
            requested_at: string;
            /** @description Who started the run. */
            requester: string;
            /** @description The risk. */
            risk: components["schemas"]["Risk"];
            /** @description The role that is asked. */
            role: string;
            /** @description The rule that requested the approval; null if none did. */
            rule: components["schemas"]["RuleName"] | null;
            /** @description The run. */
            run: string;
            /** @description Supporting data selected by the gate. At a decision point: done, next, later, would_skip and advice; for a changed plan: before and after. */
            show: Raw | null;
            /** @description A summary of the run so far. */
            so_far: string;
            /** @description The status. */
            status: components["schemas"]["ApprovalStatus"];
            /** @description The step. */
            step: string;
            /** @description The subject of the run, in one line. */
            subject?: string;
            /** @description True if it belongs to a test run: nothing with side effects is called. */
            test_mode?: boolean;
            /** @description A one-line title. */
            title: string;
            /**
             * Format: int64
             * @description Increases with every decision; a decision names the version it is about.
             */
            version: number;
            /** @description If votes are counted by role and yours could fill a place for several: those roles, the default first. A decision names one as role. */
            vote_as?: string[];
            /** @description The workflow. */
            workflow: string;
        };
        /**
         * @description The kind of answer requested.
         * @enum {string}
         */
        ApprovalKind: "approval" | "choice" | "input" | "escalation";
        /** @description A page of the inbox. */
        ApprovalList: {
            /** @description The items of this page. */
            items: components["schemas"]["Approval"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /**
         * @description The reason for the request.
         * @enum {string}
         */
        ApprovalReason: "gate" | "rule" | "low_confidence" | "call" | "milestone" | "limit" | "loop" | "review_suggested";
        /**
         * @description The status of an approval.
         * @enum {string}
         */
        ApprovalStatus: "pending" | "approved" | "modified" | "rejected" | "chosen" | "submitted" | "revision_requested" | "timed_out" | "cancelled" | "auto_approved";
        /** @description The result of verifying the audit log. */
        AuditCheck: {
            /**
             * Format: int64
             * @description The number of entries checked.
             */
            entries: number;
            /**
             * Format: int64
             * @description The number of events compared with the entries that bind them.
             */
            events: number;
            /**
             * Format: int64
             * @description The newest events, which are not bound to an entry yet. Set by a check that reaches the end.
             */
            events_unbound: number;
            /**
             * Format: int64
             * @description The first entry that does not verify; null if all do.
             */
            first_bad: number | null;
            /** @description The hash of the entry next. */
            head: string;
            /** @description True if the log was signed once, but no signed head is left. */
            heads_missing: boolean;
            /**
             * Format: int64
             * @description The number of deleted values; their digests remain in the chain.
             */
            missing: number;
            /**
             * Format: int64
             * @description The last verified entry; continue after it.
             */
            next: number;
            /** @description True if everything verifies. */
            ok: boolean;
            /**
             * Format: int64
             * @description The last entry covered by a valid signature; 0 if there is none.
             */
            signed: number;
            /**
             * Format: int64
             * @description The number of entries in the log.
             */
            total: number;
            /** @description What the check cannot guarantee, such as a log without signed heads. Set by a check that reaches the end. */
            warnings: string[];
            /** @description The problem. */
            why: string;
        };
        /** @description The signed head of the audit log. Store it elsewhere. */
        AuditEnd: {
            /** @description N:HASH of the newest entry. Store it elsewhere, to detect a truncated log. */
            head: string;
            /** @description All signing keys, oldest first. */
            keys: components["schemas"]["AuditKey"][];
            /** @description The same, signed. */
            signed: components["schemas"]["AuditHead"];
        };
        /** @description An entry of the audit log: who did what, chained to the entry before it. */
        AuditEntry: {
            /** @description The action, such as approval.decided. */
            action: string;
            /** @description Who did it. */
            actor: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Details, as JSON. */
            detail: Raw | null;
            /** @description Its hash: SHA-256 of prev and its canonical form. */
            hash: string;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /**
             * Format: int64
             * @description Its number; there are no gaps.
             */
            n: number;
            /** @description Whether it was done or refused. */
            outcome: components["schemas"]["AuditOutcome"];
            /** @description The hash of the entry before. */
            prev: string;
            /** @description The run. */
            run?: string;
            /** @description Salted digests of values that can be deleted, by name. */
            sealed?: {
                [key: string]: string;
            };
            /** @description The target: an id, or KIND/NAME. */
            target: string;
            /** @description The values that are still stored. */
            values?: {
                [key: string]: unknown;
            };
        };
        /** @description A page of audit entries. */
        AuditEntryList: {
            /** @description The items of this page. */
            items: components["schemas"]["AuditEntry"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A signed statement of the audit log up to an entry. */
        AuditHead: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /**
             * Format: int64
             * @description The first entry that root covers.
             */
            from: number;
            /** @description The hash of entry n. */
            hash: string;
            /** @description The id of the key. */
            key: string;
            /**
             * Format: int64
             * @description The entry it ends at.
             */
            n: number;
            /** @description The root of the Merkle tree over the hashes of the entries from to n. */
            root: string;
            /** @description The signature, in base64. */
            sig: string;
        };
        /** @description A key that signs heads. */
        AuditKey: {
            /** @description The id. */
            id: string;
            /** @description True for the key that this server signs with. */
            in_use: boolean;
            /** @description Links it to the key it replaced; omitted for the first one. */
            link?: components["schemas"]["AuditLink"];
            /** @description The public key: ed25519:… */
            public: string;
            /**
             * Format: date-time
             * @description When it was first used.
             */
            since: string;
        };
        /** @description Links a key to its successor: both signed both public keys and the time. */
        AuditLink: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The public key that was replaced. */
            from: string;
            /** @description The signature of the replaced key over both keys and the time. */
            from_sig: string;
            /** @description The public key that replaced it. */
            to: string;
            /** @description The signature of the new key over the same. */
            to_sig: string;
        };
        /**
         * @description Whether the action was done or refused.
         * @enum {string}
         */
        AuditOutcome: "done" | "refused";
        /** @description An approver who is away. */
        Away: {
            /** @description The person who is away. */
            name: string;
            /** @description The stand-in. */
            to: string;
            /**
             * Format: date-time
             * @description The end, exclusive.
             */
            until: string;
        };
        /** @description The effect a policy would have had on past decisions. */
        Backtest: {
            /**
             * Format: int64
             * @description Decisions of people that would have been automatic.
             */
            asked_to_auto: number;
            /**
             * Format: int64
             * @description Cases that continued automatically and would have required a decision.
             */
            auto_to_asked: number;
            /** @description The same, by rule of the tested policy. */
            by_rule: components["schemas"]["RuleOutcome"][];
            /**
             * Format: int64
             * @description Cases that would have been refused.
             */
            denied: number;
            /** @description Saved working time, estimated from the time between decisions; negative if it adds work. */
            minutes_saved: number;
            /** @description Hash of the tested policy. */
            policy: string;
            /**
             * Format: date-time
             * @description The start.
             */
            since: string;
            /**
             * Format: int64
             * @description The number of cases.
             */
            subjects: number;
            /**
             * Format: date-time
             * @description Until when.
             */
            until: string;
            /** @description Cases that people changed and the policy would have approved unchanged. */
            would_pass_modified: components["schemas"]["Passed"][];
            /** @description Cases that people rejected and the policy would have approved. */
            would_pass_rejected: components["schemas"]["Passed"][];
        };
        /** @description The policy and the period to test. */
        BacktestRequest: {
            /** @description The policy as an object, or as a text in YAML. */
            policy: Raw | null;
            /** @description How far back: a duration such as 30d, or a time. */
            since?: string;
            /** @description Until when: a duration that counts back from now, or a time. */
            until?: string;
        };
        /** @description Several approvals to decide in the same way. */
        Batch: {
            /** @description The act. */
            act: components["schemas"]["Act"];
            /** @description The comment. */
            comment?: string;
            /** @description The ids of the approvals, 1 to 1,000. */
            ids: string[];
            /** @description The chosen option. */
            option?: string;
            /** @description The versions you saw, by id; omitted ones mean the current version. */
            versions?: {
                [key: string]: number;
            };
        };
        /** @description The result for one approval of a batch. */
        BatchResult: {
            /** @description The reason for a refusal. */
            error?: components["schemas"]["Problem"];
            /** @description The id. */
            id: string;
            /** @description Whether it was decided. */
            ok: boolean;
            /** @description The status of the approval now. */
            status?: components["schemas"]["ApprovalStatus"];
        };
        /** @description The results of a batch. */
        BatchResults: {
            /** @description One for each id, in the order of the request. */
            results: components["schemas"]["BatchResult"][];
        };
        /** @description The person at the identity provider to whom a name belongs. */
        BoundName: {
            /**
             * Format: date-time
             * @description When the person first signed in with this name.
             */
            bound_at: string;
            /** @description The identity provider. */
            issuer: string;
            /** @description The person's current name at the provider. */
            label: string;
            /** @description The name. */
            name: string;
            /** @description The person's permanent id at the provider. */
            subject: string;
        };
        /** @description All names from identity providers. */
        BoundNameList: {
            /** @description The items of this page. */
            items: components["schemas"]["BoundName"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A model that is overloaded or unavailable. */
        Busy: {
            /**
             * Format: date-time
             * @description Since when the model has been overloaded or unavailable.
             */
            since: string;
            /**
             * Format: int64
             * @description The number of attempts since then.
             */
            tries: number;
        };
        /** @description A tool call of an agent. */
        Call: {
            /** @description The arguments. */
            args: Raw | null;
            /**
             * Format: date-time
             * @description When the model asked for it.
             */
            asked_at: string;
            /** @description A description of the call. */
            does?: string;
            /**
             * Format: date-time
             * @description When it ended; null until then.
             */
            ended_at: string | null;
            /** @description The failure; null if there is none. */
            error?: string;
            /** @description The id. */
            id: string;
            /**
             * Format: int64
             * @description The element of a map, from 0.
             */
            index?: number;
            /** @description The tool's output on standard error. */
            logs?: string;
            /** @description The output; null until there is one. */
            output?: Raw | null;
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string | null;
            /** @description asked, running, done, failed or denied. */
            status: string;
            /** @description The tool. */
            tool: string;
            /**
             * Format: int64
             * @description The attempt, from 1.
             */
            try?: number;
        };
        /** @description A run that could not be cancelled. */
        CancelFailure: {
            /** @description The failure; null if there is none. */
            error: string;
            /** @description The id. */
            id: string;
        };
        /** @description The runs to cancel. */
        CancelRequest: {
            /** @description Only these runs. */
            ids?: string[];
            /** @description Return what would be cancelled, and cancel nothing. */
            just_count?: boolean;
            /** @description Labels to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Only runs that this person started. */
            owner?: string;
            /** @description The reason. */
            reason?: string;
            /** @description Only runs with this status; if empty, all that have not ended. */
            status?: components["schemas"]["RunStatus"][];
            /** @description The workflow. */
            workflow?: string;
        };
        /** @description A pending cancellation: the run ends when its running steps have finished. */
        Cancellation: {
            /** @description Why, if a reason was given. */
            reason?: string;
        };
        /** @description The runs that were cancelled, or would be. */
        Cancelling: {
            /**
             * Format: int64
             * @description Pending approvals that are withdrawn with them.
             */
            approvals: number;
            /** @description The number of runs, by status. */
            by_status: {
                [key: string]: number;
            };
            /** @description The number of runs, by workflow. */
            by_workflow: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description The number of cancelled runs.
             */
            cancelled: number;
            /** @description Runs that could not be cancelled. */
            failed: components["schemas"]["CancelFailure"][];
            /** @description True if there are more: send the request again. */
            more: boolean;
            /**
             * Format: int64
             * @description The number of matching runs.
             */
            runs: number;
        };
        /** @description A past decision. */
        Case: {
            /** @description Id of the approval. */
            approval: string;
            /** @description The comment. */
            comment?: string;
            /** @description Who decided. */
            decided_by: string;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The proposal. */
            proposed: Raw | null;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            requested_at: string;
            /** @description The status. */
            status: components["schemas"]["ApprovalStatus"];
            /** @description A one-line title. */
            title: string;
        };
        /** @description A difference between two values. */
        Change: {
            /** @description The old value. */
            from?: Raw | null;
            /** @description add, remove or replace. */
            op: string;
            /** @description Where, as a JSON pointer. */
            path: string;
            /** @description The new value. */
            to?: Raw | null;
        };
        /** @description The effect of changes on a proposal. */
        ChangePreview: {
            /** @description The differences. */
            diff: components["schemas"]["Change"][];
            /** @description All problems, with paths. */
            errors: components["schemas"]["Fault"][];
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description At a decision point: what the changed plan would do. Null if it cannot be changed like that. */
            plan?: components["schemas"]["PlanChange"];
            /** @description The changed proposal. */
            proposed: Raw | null;
            /** @description Whether it matches the schema. */
            valid: boolean;
        };
        /** @description The changes to preview. */
        Changes: {
            /** @description A JSON merge patch (RFC 7396) for the proposal. */
            changes: Raw | null;
        };
        /** @description A channel in force. */
        Channel: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who saved it. */
            by: string;
            /** @description The document as JSON. */
            definition: Raw | null;
            /** @description Names the content: sha256:… */
            digest: string;
            /** @description Why it takes no messages; omitted if it does. */
            disabled?: string;
            /** @description The id. */
            id: string;
            /** @description How messages are sent. */
            kind: components["schemas"]["ChannelKind"];
            /** @description The name. */
            name: string;
            /** @description The key that verifies its signatures, if it signs with one. */
            public_key?: string;
            /** @description True for the version in force. */
            published: boolean;
            /** @description Whether this version is in force: published, or else a draft. */
            status?: components["schemas"]["DocumentStatus"];
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description What people should know that stopped nothing. */
            warnings?: components["schemas"]["ValidationFault"][];
            /** @description True if yaml is as written, with its comments. */
            written?: boolean;
            /** @description The document as a YAML file: as written, if that is known, otherwise generated. */
            yaml: string;
        };
        /**
         * @description How messages of a channel are sent.
         * @enum {string}
         */
        ChannelKind: "email" | "slack" | "teams" | "webhook" | "push";
        /** @description A page of channels. */
        ChannelList: {
            /** @description The items of this page. */
            items: components["schemas"]["Channel"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The result of a test message. */
        ChannelTest: {
            /** @description What to improve; omitted if nothing. */
            advice?: string;
            /** @description The channel. */
            channel: string;
            /** @description Whether the message arrived. */
            ok: boolean;
            /** @description Why it did not. */
            why?: string;
        };
        /** @description Why a sub-run failed. */
        ChildFailure: {
            /** @description The failure; null if there is none. */
            error?: components["schemas"]["Failure"];
            /** @description The run. */
            run: string;
        };
        /** @description A command to a run; type selects it. */
        Command: components["schemas"]["Command_cancel"] | components["schemas"]["Command_abort"] | components["schemas"]["Command_pause"] | components["schemas"]["Command_resume"] | components["schemas"]["Command_inject_steps"] | components["schemas"]["Command_replan"] | components["schemas"]["Command_skip_step"] | components["schemas"]["Command_modify_args"] | components["schemas"]["Command_message"] | components["schemas"]["Command_consult"] | components["schemas"]["Command_snapshot"];
        /** @description End at once. */
        Command_abort: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description The reason. */
            reason?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "abort";
        };
        /** @description Start nothing new, wait for running steps, then end. */
        Command_cancel: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description The reason. */
            reason?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "cancel";
        };
        /** @description Ask the agent in the loop now. */
        Command_consult: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "consult";
        };
        /** @description Add steps to the running plan. */
        Command_inject_steps: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description The steps, as workflows have them. */
            steps: {
                [key: string]: unknown;
            }[];
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "inject_steps";
        };
        /** @description Send a message to the working agents. */
        Command_message: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description The message. */
            text: string;
            /** @description A step or an agent; all that are working if omitted. */
            to?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "message";
        };
        /** @description Change the input of a step or call that has not started, by a JSON merge patch. */
        Command_modify_args: {
            /** @description With step: the model's id of the call. */
            call?: string;
            /** @description A JSON merge patch (RFC 7396) for the proposal. */
            changes: Raw | null;
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description The step. */
            step?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "modify_args";
        };
        /** @description Start nothing new until the run is resumed. */
        Command_pause: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description The reason. */
            reason?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "pause";
        };
        /** @description Ask for steps that meet a new requirement. */
        Command_replan: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description Replaces is a failed step in whose place the new ones are put. */
            replaces?: string;
            /** @description The additional requirement. */
            requirement: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "replan";
        };
        /** @description Continue after a pause, from the last good state after a failure, or after a limit with a higher one. */
        Command_resume: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /** @description The new limits of the agent that stopped the run, as totals. */
            limits?: components["schemas"]["LimitAmount"];
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "resume";
        };
        /** @description Skip a step, or all steps of a layer, that have not started. */
        Command_skip_step: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /**
             * Format: int64
             * @description A layer of the plan, from 0, instead of a step.
             */
            layer?: number;
            /** @description The step. */
            step?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "skip_step";
        };
        /** @description Mark a point to resume or fork from. */
        Command_snapshot: {
            /** @description A command with the same id takes effect once. */
            id?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "snapshot";
        };
        /** @description A comment. It does not decide anything. */
        Comment: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description The comment. */
            text: string;
        };
        /** @description The source of an approval's confidence. */
        ConfidenceSource: {
            /** @description The agent that reported it. */
            agent?: string;
            /** @description The confidence, from 0 to 1; null if not reported. */
            confidence: number | null;
            /** @description The step, or input if it comes from the run's input. */
            step: string;
        };
        /** @description The new content of a working copy. */
        CopyChange: {
            /**
             * Format: int64
             * @description The version that it started from, or was last saved as; 0: none.
             */
            base: number;
            /** @description Where steps are drawn, by their id; others are placed automatically. */
            layout: {
                [key: string]: components["schemas"]["Point"];
            };
            /**
             * Format: int64
             * @description The revision that the change is based on; 0: there is no working copy yet.
             */
            revision: number;
            /** @description Inputs to try it with. */
            samples: components["schemas"]["SampleInput"][];
            /** @description The workflow as a file, with its comments. It need not be valid. */
            yaml: string;
        };
        /** @description A change to the explanation that agents receive for a decision. */
        Correction: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description Why. */
            reason: string;
            /** @description Whether agents no longer receive the lesson. */
            removed: boolean;
            /** @description The explanation that agents receive instead of the comment. */
            text: string;
            /**
             * Format: int64
             * @description The version of the lesson since then.
             */
            version: number;
        };
        /** @description Metrics of one day (UTC). */
        DayFigures: {
            /** @description The cost in US dollars, as a decimal. */
            cost_usd: string;
            /** @description The day, such as 2026-03-01. */
            day: string;
            /** @description Started runs, by status. */
            runs: {
                [key: string]: number;
            };
            /** @description Settled approvals, by status. */
            settled: {
                [key: string]: number;
            };
        };
        /** @description Decisions in the period. */
        DecidedFigures: {
            /** @description The share decided by rules, from 0 to 1. */
            auto_share: number;
            /**
             * Format: int64
             * @description Decided by people.
             */
            by_people: number;
            /**
             * Format: int64
             * @description Approved by rules.
             */
            by_rules: number;
            /** @description By status. */
            by_status: {
                [key: string]: number;
            };
            /** @description Median waiting time of decisions by people, in seconds. */
            median_s: number;
            /** @description 90th percentile of the waiting time, in seconds. */
            p90_s: number;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description Decisions by people, by waiting time. */
            waits: components["schemas"]["WaitFigures"][];
        };
        /**
         * @description The program in which a person decided.
         * @enum {string}
         */
        DecidedVia: "slack" | "teams";
        /** @description A decision on an approval. */
        Decision: {
            /** @description What to do. */
            act: components["schemas"]["Act"];
            /** @description A JSON merge patch (RFC 7396) for the proposal. */
            changes?: Raw | null;
            /** @description The comment, at most 10,000 characters. Required for reject and request_revision. */
            comment?: string;
            /** @description For submit: the requested data. */
            data?: Raw | null;
            /** @description For choose: the value of the option. */
            option?: string;
            /** @description If votes are counted by role: the role to vote as. If omitted, an open place for one of your roles is used. */
            role?: string;
            /** @description A person such as bob, or a role such as role:manager. */
            to?: string;
            /**
             * Format: int64
             * @description The version of the approval that you saw. Required, unless If-Match is sent.
             */
            version: number;
        };
        /** @description The default channels of each event. */
        Defaults: {
            /** @description When messages are combined. */
            digest?: components["schemas"]["Digest"];
            /** @description The channels for each event, of those that send to each person; events that are not listed are not sent. */
            events: {
                [key: string]: string[];
            };
            /** @description When messages to people wait; if null, never. */
            quiet_hours?: components["schemas"]["QuietHours"];
        };
        /** @description A result for people. */
        Deliverable: {
            /** @description The agent that does the work. */
            agent: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description A longer description. */
            description: string;
            /** @description The id. */
            id: string;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The type of its bytes. It is detected if the bytes contradict the type reported by the agent. */
            mime_type: string;
            /** @description The name. */
            name: string;
            /** @description Whether it is the newest version of its name in the run. */
            newest: boolean;
            /** @description How it can be shown: as text, as an image, or not at all (none). */
            preview: string;
            /** @description The run. */
            run: string;
            /**
             * Format: int64
             * @description How many bytes it has here.
             */
            size: number;
            /** @description How it stands: draft, final or archived. */
            status: string;
            /** @description The step. */
            step: string;
            /** @description Where its bytes are: inline up to 1 MiB, in a file beyond, or external. */
            storage: string;
            /** @description What sort of thing it is: document, code, data, media or other. */
            type: string;
            /**
             * Format: date-time
             * @description When it was made or marked.
             */
            updated_at: string;
            /** @description Where it lies outside; null if its bytes are here. */
            url: string | null;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description A page of deliverables. */
        DeliverableList: {
            /** @description The items of this page. */
            items: components["schemas"]["Deliverable"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A message and its delivery status. */
        Delivery: {
            /** @description The address of a recipient without an account. */
            address?: string;
            /** @description The approval; omitted if it is about the run. */
            approval?: string;
            /**
             * Format: int64
             * @description How often it was tried.
             */
            attempts: number;
            /** @description The channel. */
            channel: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description Whether it shows what it should. */
            current: boolean;
            /** @description The event that it is about. */
            event: string;
            /** @description The message that could not be delivered. */
            fallback_of?: string;
            /** @description The id. */
            id: string;
            /**
             * Format: date-time
             * @description The time of the next attempt; omitted if there is none.
             */
            next_at?: string;
            /** @description Who gets it; omitted if it goes to an address or a room. */
            person?: string;
            /** @description The run. */
            run: string;
            /**
             * Format: date-time
             * @description When it was delivered first.
             */
            sent_at?: string;
            /** @description queued: to be sent; sent: delivered; updated: replaced after it was delivered; failed: not delivered; suppressed: not needed, or the recipient cannot be reached there. */
            status: components["schemas"]["DeliveryStatus"];
            /** @description Whether it stands for several messages. */
            summary?: boolean;
            /** @description The summary that stands for it. */
            summary_of?: string;
            /**
             * Format: date-time
             * @description When it was last tried or changed.
             */
            updated_at: string;
            /** @description Why it failed, waits or is not needed. */
            why?: string;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description A page of messages. */
        DeliveryList: {
            /** @description The items of this page. */
            items: components["schemas"]["Delivery"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /**
         * @description The delivery status of a message.
         * @enum {string}
         */
        DeliveryStatus: "queued" | "sent" | "updated" | "failed" | "suppressed";
        /** @description The difference between two versions of a document. */
        Diff: {
            /** @description Every difference, with its path. */
            diff: components["schemas"]["Change"][];
            /** @description The one version. */
            from: components["schemas"]["Version"];
            /** @description A person such as bob, or a role such as role:manager. */
            to: components["schemas"]["Version"];
        };
        /** @description When messages are combined into one. */
        Digest: {
            /**
             * Format: int64
             * @description How many are sent one by one in a period.
             */
            after?: number;
            /**
             * @description The period: the others are sent as one summary at its end; 15m if omitted.
             * @example 72h
             */
            every?: string;
            /** @description Whether no messages are combined. */
            off?: boolean;
        };
        /** @description A version of a document with its content. Secrets are shown as ***. */
        Document: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who saved it. */
            by: string;
            /** @description The document as JSON. */
            definition: Raw | null;
            /** @description Names the content: sha256:… */
            digest: string;
            /** @description The id. */
            id: string;
            /** @description The name. */
            name: string;
            /** @description True for the version in force. */
            published: boolean;
            /** @description Whether this version is in force: published, or else a draft. */
            status?: components["schemas"]["DocumentStatus"];
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description What people should know that stopped nothing. */
            warnings?: components["schemas"]["ValidationFault"][];
            /** @description True if yaml is as written, with its comments. */
            written?: boolean;
            /** @description The document as a YAML file: as written, if that is known, otherwise generated. */
            yaml: string;
        };
        /** @description A page of documents. */
        DocumentList: {
            /** @description The items of this page. */
            items: components["schemas"]["Document"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /**
         * @description Whether a version is published.
         * @enum {string}
         */
        DocumentStatus: "published" | "draft";
        /** @description Changes to the history of a fork. */
        Edits: {
            /** @description Fields of the context to replace, each as a whole: null is a value and removes nothing. */
            context?: Raw | null;
            /** @description The new input. */
            input?: Raw | null;
            /** @description New outputs of steps, by step. */
            outputs?: {
                [key: string]: unknown;
            };
        };
        /** @description The progress of a map. */
        Elements: {
            /**
             * Format: int64
             * @description How many are done.
             */
            done: number;
            /**
             * Format: int64
             * @description How many are at work.
             */
            running: number;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
        };
        /** @description The new state of the emergency stop. */
        EmergencyStop: {
            /** @description true stops all automatic approvals, false lets rules approve again. */
            on: boolean;
            /** @description The reason. */
            reason?: string;
        };
        /** @description Why something failed. */
        Error: {
            /** @description The agent that does the work. */
            agent?: string;
            /**
             * Format: date-time
             * @description When.
             */
            at?: string;
            /** @description What the other side answered. */
            body?: string;
            /** @description The sub-run that failed, with its own error. */
            child?: components["schemas"]["ChildFailure"];
            /** @description A machine-readable code. */
            code: string;
            /**
             * Format: int64
             * @description The element of a map, from 0.
             */
            index?: number;
            /** @description The input. */
            input?: Raw | null;
            /** @description The problem, in words. */
            message: string;
            /** @description Where in the agent's code it happened, if it said so. */
            stack?: string;
            /** @description The step. */
            step?: string;
            /**
             * Format: int64
             * @description How many steps the run has.
             */
            step_count?: number;
            /**
             * Format: int64
             * @description Which step of the run, from 1.
             */
            step_index?: number;
            /**
             * Format: int64
             * @description The attempt, from 1.
             */
            try?: number;
        };
        /** @description Something that happened; the same in lists, SSE and WebSocket. */
        Event: {
            /** @description Who did it. */
            actor: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The command that led to it, if people sent one. */
            cause?: string;
            /** @description What happened; its form depends on type. */
            data: Raw | null;
            /**
             * Format: int64
             * @description The number in the feed of all runs. There are no gaps.
             */
            feed: number;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The run. */
            run: string;
            /**
             * Format: int64
             * @description The number in the run's log.
             */
            seq: number;
            /** @description Such as run.started or approval.needed. */
            type: string;
        };
        /** @description A page of events. */
        EventList: {
            /** @description The items of this page. */
            items: components["schemas"]["Event"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The approvals to expire. */
        Expiry: {
            /** @description The agent that does the work. */
            agent?: string;
            /** @description Why; it is recorded with each. */
            comment?: string;
            /** @description The kind. */
            kind?: components["schemas"]["ApprovalKind"];
            /**
             * @description How long they have been open, such as 72h. Required.
             * @example 72h
             */
            older_than: string;
            /** @description Only with this risk. */
            risk?: components["schemas"]["RiskLevel"];
            /** @description The role that is asked. */
            role?: string;
            /** @description The run. */
            run?: string;
            /** @description The tool. */
            tool?: string;
            /** @description The workflow. */
            workflow?: string;
        };
        /** @description A recorded failure. */
        Failure: {
            /** @description The agent that does the work. */
            agent?: string;
            /** @description The response of the other side. */
            body?: string;
            /** @description Whether the service is overloaded or unavailable. */
            busy?: boolean;
            /** @description The sub-run that failed, with its own error. */
            child?: components["schemas"]["ChildFailure"];
            /** @description A machine-readable code. */
            code?: string;
            /**
             * Format: int64
             * @description The element of a map, from 0.
             */
            index?: number;
            /** @description The input. */
            input?: Raw | null;
            /** @description The problem, in words. */
            message: string;
            /**
             * @description How long to wait before the next attempt.
             * @example 72h
             */
            retry_after?: string;
            /** @description Where in the agent's code it happened, if known. */
            stack?: string;
            /** @description The step. */
            step?: string;
            /**
             * Format: int64
             * @description How many steps the run has.
             */
            step_count?: number;
            /**
             * Format: int64
             * @description Which step of the run, from 1.
             */
            step_index?: number;
            /** @description Whether a retry may help. */
            transient?: boolean;
            /**
             * Format: int64
             * @description The attempt, from 1.
             */
            try?: number;
            /** @description Model calls, tokens and cost. */
            usage?: components["schemas"]["Usage"];
        };
        /** @description Failures of one kind. */
        FailureFigures: {
            /** @description The kind. */
            code: string;
            /**
             * Format: int64
             * @description How many.
             */
            count: number;
        };
        /** @description A problem at one location. */
        Fault: {
            /**
             * Format: int64
             * @description The column, from 1, if the source text is known.
             */
            column?: number;
            /**
             * Format: int64
             * @description The line, from 1, if the source text is known.
             */
            line?: number;
            /** @description The problem, in words. */
            message: string;
            /** @description The location, as a dotted path or JSON pointer. */
            path: string;
            /** @description True for a warning, which is not an error. */
            warning?: boolean;
        };
        /** @description Whether an act is allowed, and why. */
        Finding: {
            /** @description The action: see, comment, or an act. */
            act: string;
            /** @description True if it is allowed now. */
            allowed: boolean;
            /** @description The role or rule that allows it, or what is missing. */
            because: string;
            /** @description The roles that allow it. */
            roles: string[];
            /** @description Administrators are shown the roles that would allow it. Empty if it is allowed, or if no role would. */
            with_role: string[];
        };
        /** @description A time of a schedule, and what was done about it. */
        Firing: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Why none was started. */
            cause?: string;
            /** @description started: a run began; skipped: the previous run had not ended; missed: the time had passed too long ago; failed: the run was refused. */
            outcome: components["schemas"]["FiringOutcome"];
            /** @description The run that was started. */
            run?: string;
        };
        /**
         * @description What was done at a time of a schedule.
         * @enum {string}
         */
        FiringOutcome: "started" | "skipped" | "missed" | "failed";
        /** @description A request to delete the payloads of a run. */
        Forgetting: {
            /** @description The reason. It is kept in the audit log, so do not include the deleted data. */
            reason: string;
            /** @description Also delete payloads of forks and retries of the run. */
            with_copies?: boolean;
        };
        /** @description The deleted and the remaining payloads. */
        Forgotten: {
            /** @description Runs that may still contain copies: forks, retries, and the parent run. */
            copies: string[];
            /** @description Why. */
            reason: string;
            /**
             * Format: date-time
             * @description When.
             */
            removed_at: string;
            /** @description Who did it. */
            removed_by: string;
            /** @description The run. */
            run: string;
            /** @description All runs whose payloads are deleted: this run, its sub-runs, and copies if requested. */
            runs: string[];
        };
        /** @description The event to fork from, and the changes. */
        Fork: {
            /**
             * Format: int64
             * @description The last event to include in the new run.
             */
            at_seq: number;
            /** @description Changes to the history. */
            edits?: components["schemas"]["Edits"];
        };
        /** @description A search result. */
        Found: {
            /**
             * Format: date-time
             * @description When it was requested or started.
             */
            at?: string;
            /** @description The id; for a workflow, its name. */
            id: string;
            /** @description approval, run or workflow. */
            kind: string;
            /** @description The status of the approval or the run. */
            status?: string;
            /** @description The subject of the run; for a workflow, its description. */
            subject?: string;
            /** @description The title of the approval or the subject of the run; for a workflow, its name. */
            title: string;
            /** @description The workflow it belongs to. */
            workflow: string;
        };
        /** @description Search results, by kind. */
        FoundList: {
            /** @description Pending approvals, runs, settled approvals, workflows. */
            items: components["schemas"]["Found"][];
            /** @description True if older entries were not searched. */
            partial: boolean;
        };
        /** @description Lessons about tools from completed runs. */
        Graph: {
            /**
             * Format: date-time
             * @description Weights are those of this time.
             */
            as_of: string;
            /** @description The heaviest first. */
            edges: components["schemas"]["GraphEdge"][];
            /** @description True if limit left out nodes or edges. */
            more?: boolean;
            /** @description Tools, the most central first. */
            nodes: components["schemas"]["GraphNode"][];
            /**
             * Format: int64
             * @description Runs that were learned from.
             */
            runs: number;
        };
        /** @description How two tools are related. */
        GraphEdge: {
            /** @description A tool. */
            from: string;
            /** @description together: used by the same run; then: a step with the second tool needed one with the first; fits: it was given its result. */
            kind: string;
            /** @description Another tool. */
            to: string;
            /** @description The number of runs; a run counts half after 90 days, a quarter after 180. */
            weight: number;
        };
        /** @description What to forget: exactly one of run, workflow, tool and all. */
        GraphForgetting: {
            /** @description Everything. */
            all?: boolean;
            /** @description Kept in the audit log. */
            reason?: string;
            /** @description What this run taught. */
            run?: string;
            /** @description What was learned about this tool. */
            tool?: string;
            /** @description What runs of this workflow taught. */
            workflow?: string;
        };
        /** @description What was forgotten. */
        GraphForgotten: {
            /**
             * Format: date-time
             * @description Runs that end later teach again.
             */
            at: string;
            /**
             * Format: int64
             * @description Runs that the forgotten lessons came from.
             */
            runs: number;
        };
        /** @description A tool that a run used successfully. */
        GraphNode: {
            /** @description How central it is, from 0 to 1. */
            rank: number;
            /**
             * Format: int64
             * @description Runs that used it.
             */
            runs: number;
            /** @description The tool; an agent is agent:NAME. */
            tool: string;
        };
        /** @description The outcome of deriving the graph from the logs again. */
        GraphRebuilt: {
            /**
             * Format: int64
             * @description Runs whose log was read.
             */
            runs: number;
            /**
             * Format: int64
             * @description Runs that were learned from.
             */
            taught: number;
        };
        /** @description The health of the server. */
        Health: {
            /** @description ok or ready. */
            status: string;
            /** @description Of the program. */
            version: string;
        };
        /**
         * @description The outcome of a delivery to a trigger.
         * @enum {string}
         */
        HookOutcome: "started" | "failed" | "ignored";
        /** @description A document that would be used, in the version shown. */
        Implementation: {
            /** @description Names the content: sha256:… */
            digest?: string;
            /** @description tool, agent, mcp_server, mcp_tool, workflow or builtin. */
            kind: string;
            /** @description The name. */
            name: string;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version?: number;
        };
        /** @description Decision metrics. */
        Insights: {
            /** @description By agent. */
            agents: components["schemas"]["AgentFigures"][];
            /** @description By day, oldest first. */
            days: components["schemas"]["DayFigures"][];
            /** @description What was settled in the span. */
            decided: components["schemas"]["DecidedFigures"];
            /** @description Failures of steps, by kind. */
            failures: components["schemas"]["FailureFigures"][];
            /** @description Pending approvals. */
            pending: components["schemas"]["PendingFigures"];
            /** @description How often reviewers agreed with rules. */
            rules: components["schemas"]["Accuracy"][];
            /** @description Runs that started in the span. */
            runs: components["schemas"]["RunFigures"];
            /**
             * Format: date-time
             * @description The start.
             */
            since: string;
            /**
             * Format: date-time
             * @description Until when.
             */
            until: string;
            /** @description By workflow. */
            workflows: components["schemas"]["WorkflowFigures"][];
        };
        /** @description The purpose of a plan. */
        Intent: {
            /** @description An LLM agent that arranges the candidates. Its answer is checked; if it is refused, the response is the plan that is suggested without it, and a note says why. */
            agent?: string;
            /** @description An example of a run's input, an object: its values are used where they fit. */
            input?: Raw | null;
            /** @description The goal of the plan, in plain words. At most 4,000 characters. */
            intent: string;
            /**
             * Format: int64
             * @description How many candidates to list, from 1 to 50; 8 if omitted.
             */
            limit?: number;
            /** @description The name of the workflow; made from the intent if omitted. */
            name?: string;
        };
        /** @description A request of past runs, and the tools that served it. */
        LearnedRequest: {
            /**
             * Format: date-time
             * @description When the last of them ended.
             */
            last_at: string;
            /** @description Those that failed, or that people rejected. */
            not?: string[];
            /** @description Only if its workflow declares it; sensitive values are masked. */
            request: string;
            /**
             * Format: int64
             * @description Runs that made it.
             */
            runs: number;
            /** @description Those that served it, the most useful first. */
            tools: string[];
            /** @description As in edges. */
            weight: number;
        };
        /** @description A page of requests of past runs. */
        LearnedRequestList: {
            /** @description The items of this page. */
            items: components["schemas"]["LearnedRequest"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description An agent's proposal and a person's correction of it. */
        Lesson: {
            /** @description modify, reject or request_revision. */
            act: components["schemas"]["Act"];
            /** @description The agent that does the work. */
            agent: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description The changed version; null if it was rejected. */
            changed: Raw | null;
            /** @description The comment. */
            comment: string;
            /** @description The correction of the lesson; null if there is none. */
            correction: components["schemas"]["Correction"] | null;
            /** @description The person's changes. */
            diff: components["schemas"]["Change"][];
            /** @description The id of the approval. */
            id: string;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The operation, as policies see it. */
            operation: string;
            /** @description The proposal. */
            proposed: Raw | null;
            /** @description The run. */
            run: string;
            /** @description The request. */
            scenario: string;
            /** @description The step. */
            step: string;
            /** @description The tool. */
            tool?: string;
            /**
             * Format: int64
             * @description It grows with every correction. Send it with the next one.
             */
            version: number;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description The correction to record. */
        LessonCorrection: {
            /** @description Why; required if it is removed. */
            reason?: string;
            /** @description Whether agents no longer receive the lesson. */
            removed?: boolean;
            /** @description The explanation that agents receive instead of the comment. */
            text?: string;
            /**
             * Format: int64
             * @description The version of the lesson that you saw: if it was corrected since, this is a 409 version_mismatch. Left out: any.
             */
            version?: number;
        };
        /** @description A page of lessons. */
        LessonList: {
            /** @description The items of this page. */
            items: components["schemas"]["Lesson"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description Limits of an agent; omitted limits stay as they are. */
        LimitAmount: {
            /**
             * @description The cost in US dollars, as a decimal.
             * @example 0.0375
             */
            cost_usd?: string;
            /**
             * @description A duration such as 90s, 72h or 30d.
             * @example 72h
             */
            duration?: string;
            /**
             * Format: int64
             * @description Turns of the model.
             */
            iterations?: number;
        };
        /** @description An account in another program that decides as you. */
        Link: {
            /**
             * Format: date-time
             * @description When it was linked or, for an offer, offered.
             */
            created_at: string;
            /** @description The program, the workspace and the user, with slashes between them. */
            id: string;
            /** @description The name of the user there. */
            label: string;
            /** @description The program. */
            program: components["schemas"]["DecidedVia"];
        };
        /** @description Your accounts in other programs. */
        LinkList: {
            /** @description The items of this page. */
            items: components["schemas"]["Link"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description An MCP server in force, and the state of the connection to it. */
        MCPServer: {
            /** @description A longer description. */
            description?: string;
            /**
             * Format: date-time
             * @description When it failed last; null: it does not fail.
             */
            failed_at: string | null;
            /**
             * Format: date-time
             * @description Since when it fails; null: it does not.
             */
            failing_since: string | null;
            /** @description The name. */
            name: string;
            /** @description How it is reached: the host of its address, or the name of its program. */
            place: string;
            /** @description It is a program that is started here. */
            program: boolean;
            /**
             * Format: date-time
             * @description When it sent its last list; null: never.
             */
            seen_at: string | null;
            /** @description As of the last time it was asked for its tools. */
            state: components["schemas"]["MCPServerState"];
            /**
             * Format: int64
             * @description The number of tools in its last list.
             */
            tools: number;
            /** @description Why it fails. */
            why?: string;
        };
        /** @description A page of MCP servers. */
        MCPServerList: {
            /** @description The items of this page. */
            items: components["schemas"]["MCPServer"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /**
         * @description The state of the connection to an MCP server.
         * @enum {string}
         */
        MCPServerState: "connected" | "failing" | "unasked";
        /** @description The new status of a deliverable. */
        Mark: {
            /** @description The new status: draft, final or archived. */
            status: string;
            /**
             * Format: int64
             * @description The newest version that you saw. Required.
             */
            version: number;
            /** @description The status you saw; not checked if omitted. */
            was?: string;
        };
        /** @description The signed-in user. */
        Me: {
            /**
             * Format: date-time
             * @description When your session or token expires; null if never.
             */
            expires_at: string | null;
            /** @description The kind. */
            kind: components["schemas"]["ActorKind"];
            /** @description Your current name at the identity provider; omitted if it is the same. */
            label?: string;
            /** @description True if sign-in is not enabled. */
            local: boolean;
            /** @description The name. */
            name: string;
            /** @description Your permissions on at least one workflow; aliases are spelled out. */
            permissions: string[];
            /** @description The roles. */
            roles: string[];
            /** @description How you are authenticated. */
            way: components["schemas"]["SignInWay"];
        };
        /** @description An entry of a run's thread. */
        Message: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The sender. */
            from: components["schemas"]["Actor"];
            /** @description The text. */
            text: string;
            /** @description The step or agent it is for; if empty, all agents at work. */
            to?: string;
        };
        /** @description The used part of an agent's limit. */
        Meter: {
            /** @description Which limit. */
            limit: string;
            /** @description The limit, such as 4h0m0s, 5 or 500. */
            max: string;
            /**
             * Format: int64
             * @description The used part in percent, up to 100.
             */
            percent: number;
            /**
             * Format: date-time
             * @description For a duration that is still growing: when it started to count, so that used is the time since then.
             */
            since?: string;
            /** @description The amount used, such as 1h20m0s, 0.75 or 12. */
            used: string;
        };
        /** @description How you are notified of events. */
        MyNotifications: {
            /** @description The channels that reach people one by one. */
            channels: string[];
            /** @description What applies to all that you did not choose. */
            default: components["schemas"]["Defaults"];
            /** @description When messages are combined; if null, the default applies. */
            digest?: components["schemas"]["Digest"];
            /** @description Where mail is sent; if empty, to your name if it is an e-mail address. */
            email?: string;
            /** @description The channels for each event. Events that are not listed use the default channels; an empty list turns an event off. */
            events?: {
                [key: string]: string[];
            };
            /** @description Whether summaries are not sent by e-mail. The link in a summary sets this. */
            no_mail_summaries?: boolean;
            /** @description Whether your messages never wait, not even during the default quiet hours. */
            no_quiet_hours?: boolean;
            /** @description When messages to you wait; if null, the default applies. */
            quiet_hours?: components["schemas"]["QuietHours"];
            /** @description The time zone of times in messages, such as Europe/Berlin; if empty, that of the quiet hours. */
            timezone?: string;
        };
        /** @description The link to confirm. */
        NewLink: {
            /** @description The last part of the address in the message. */
            token: string;
        };
        /** @description A run to start. */
        NewRun: {
            /** @description The input; an empty object if omitted. */
            input?: Raw | null;
            /** @description Labels to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Do not call tools or agents that declare an operation or a risk; use samples. */
            test_mode?: boolean;
            /**
             * Format: int64
             * @description The published version if omitted.
             */
            version?: number;
            /** @description The name of the workflow. */
            workflow: string;
        };
        /** @description The token to create. */
        NewToken: {
            /**
             * Format: date-time
             * @description When it expires; never if omitted.
             */
            expires_at?: string;
            /** @description The kind of identity. Agents never decide. */
            kind: components["schemas"]["TokenKind"];
            /** @description The name. */
            name: string;
            /** @description Its roles. */
            roles?: string[];
        };
        /** @description An empty object; it may be omitted. */
        Nothing: Record<string, never>;
        /**
         * @description The effect of a rejection on the run.
         * @enum {string}
         */
        OnReject: "fail" | "cancel" | "revise" | "tell";
        /** @description An option of a choice. */
        Option: {
            /** @description A longer description. */
            description?: string;
            /** @description The label shown to people. */
            label?: string;
            /** @description The recorded value. */
            value: string;
        };
        /** @description How an approval was settled. */
        Outcome: {
            /** @description The act that takes effect. */
            act?: components["schemas"]["Act"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The person whose decision settled it. */
            by?: string;
            /** @description True if the deadline cancelled the run. */
            cancel?: boolean;
            /** @description The comment. */
            comment?: string;
            /** @description The submitted data, for an approval of kind input. */
            data?: Raw | null;
            /** @description The chosen option. */
            option?: string;
            /** @description The changed proposal, if it was changed. */
            proposed?: Raw | null;
            /** @description The status. */
            status: components["schemas"]["ApprovalStatus"];
        };
        /** @description The change to one step or gate. */
        PartDiff: {
            /** @description Every difference, with its path inside the step or gate. Steps without `needs` are compared as if they named the previous step. */
            changes: components["schemas"]["Change"][];
            /** @description The id of the step or gate. */
            id: string;
            /** @description add, remove or replace. */
            op: string;
        };
        /** @description A case that a policy would have approved. */
        Passed: {
            /** @description Id of the approval. */
            approval: string;
            /** @description The comment. */
            comment?: string;
            /** @description Who decided. */
            decided_by: string;
            /** @description The changes that people made. */
            diff?: components["schemas"]["Change"][];
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The operation, as policies see it. */
            operation?: string;
            /** @description The proposal. */
            proposed: Raw | null;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            requested_at: string;
            /** @description The rule that would have approved it; empty if no rule would have required approval. */
            rule: string;
            /** @description The run. */
            run: string;
            /** @description The step. */
            step: string;
            /** @description A one-line title. */
            title: string;
            /** @description The tool. */
            tool?: string;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description The old and the new password. */
        PasswordChange: {
            /** @description The new password, of at least 12 characters. */
            new: string;
            /** @description The current password. */
            old: string;
        };
        /** @description Why a run is paused. */
        Pause: {
            /** @description The unanswered approval that paused the run. */
            approval?: string;
            /** @description The reason. */
            reason?: string;
        };
        /** @description Pending approvals. */
        PendingFigures: {
            /** @description By risk; approvals without one are not counted. */
            by_risk: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description When the oldest was requested.
             */
            oldest_at: string | null;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The actions that a person or program may take, and why. */
        Permissions: {
            /** @description Every action. */
            actions: components["schemas"]["Ability"][];
            /** @description The people they stand in for now. */
            for: string[];
            /** @description The kind. */
            kind: components["schemas"]["ActorKind"];
            /** @description The roles that were checked. */
            roles: components["schemas"]["RoleOrigin"][];
            /** @description The person or program. */
            user: string;
        };
        /** @description The effect of a change of a running plan. */
        PlanChange: {
            /** @description The steps that would be added, in the order given. */
            added: components["schemas"]["AddedStep"][];
            /** @description Steps whose dependencies would change. */
            rewired: components["schemas"]["RewiredStep"][];
        };
        /** @description A plan for an intent, or the nearest tools if nothing fits. */
        PlanSuggestion: {
            /** @description The agent that arranged the candidates, if its answer was used. */
            arranged_by?: string;
            /** @description Tools and agents that come nearest to the intent, the best first. */
            candidates: components["schemas"]["Tool"][];
            /** @description How well the plan accounts for the intent, from 0 to 1: that of its weakest step, times the share of the intent's parts that have one. */
            confidence: number;
            /** @description The whole workflow as JSON; missing if nothing was found. */
            definition?: Raw | null;
            /** @description Whether anything fits. If not, there are no steps, and the candidates are the tools that come nearest. */
            found: boolean;
            /** @description Parts of the intent that nothing fits. */
            missing: string[];
            /** @description What else to know, such as a server that has not answered. */
            notes?: string[];
            /** @description The steps, as in files. */
            steps: {
                [key: string]: unknown;
            }[];
            /** @description The reason for each step, in the same order. */
            why: components["schemas"]["StepWhy"][];
            /** @description The whole workflow as a file; missing if nothing was found. */
            yaml?: string;
        };
        /** @description A place on the canvas. */
        Point: {
            /** @description From the left. */
            x: number;
            /** @description From the top. */
            y: number;
        };
        /** @description The policy in force. */
        Policy: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who saved it. */
            by: string;
            /** @description The document as JSON. */
            definition: Raw | null;
            /** @description Names the content: sha256:… */
            digest: string;
            /** @description Whether automatic approvals are stopped. */
            emergency_stop: components["schemas"]["Stop"];
            /** @description Problems of the last load of files: the policy in force may be older than the files. */
            file_problems: components["schemas"]["ValidationFault"][];
            /** @description The hash of the policy, as in approvals: pol_… */
            hash: string;
            /** @description The id. */
            id: string;
            /** @description The name. */
            name: string;
            /** @description True for the version in force. */
            published: boolean;
            /** @description The rules in order of evaluation. */
            rules: components["schemas"]["Rule"][];
            /** @description Whether this version is in force: published, or else a draft. */
            status?: components["schemas"]["DocumentStatus"];
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description What people should know that stopped nothing. */
            warnings?: components["schemas"]["ValidationFault"][];
            /** @description True if yaml is as written, with its comments. */
            written?: boolean;
            /** @description The document as a YAML file: as written, if that is known, otherwise generated. */
            yaml: string;
        };
        /** @description The version of the policy to publish. */
        PolicyPublishing: {
            /** @description The reason to publish a policy that would have approved what people rejected. */
            accept_risk?: string;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
        };
        /** @description A policy and a case to evaluate. */
        PolicyTest: {
            /** @description The policy as an object, or as a text in YAML; left out: the one in force. */
            policy?: Raw | null;
            /** @description The case to evaluate. */
            subject: components["schemas"]["Subject"];
        };
        /** @description How a person is notified of events. */
        Preferences: {
            /** @description When messages are combined; if null, the default applies. */
            digest?: components["schemas"]["Digest"];
            /** @description Where mail is sent; if empty, to your name if it is an e-mail address. */
            email?: string;
            /** @description The channels for each event. Events that are not listed use the default channels; an empty list turns an event off. */
            events?: {
                [key: string]: string[];
            };
            /** @description Whether summaries are not sent by e-mail. The link in a summary sets this. */
            no_mail_summaries?: boolean;
            /** @description Whether your messages never wait, not even during the default quiet hours. */
            no_quiet_hours?: boolean;
            /** @description When messages to you wait; if null, the default applies. */
            quiet_hours?: components["schemas"]["QuietHours"];
            /** @description The time zone of times in messages, such as Europe/Berlin; if empty, that of the quiet hours. */
            timezone?: string;
        };
        /** @description The input for a preview. */
        Preview: {
            /** @description The input; an empty object if omitted. */
            input?: Raw | null;
            /**
             * Format: int64
             * @description The published version if omitted.
             */
            version?: number;
            /** @description The workflow as a file, instead of a version. */
            yaml?: string;
        };
        /** @description The data passed from one step to another. */
        PreviewEdge: {
            /** @description The data. */
            data: Raw | null;
            /** @description The source step. */
            from: string;
            /** @description The target step. */
            to: string;
        };
        /** @description A question that would be asked. */
        PreviewGate: {
            /** @description Who is asked: a person such as bob, or a role such as role:manager; with no role either, anyone who may decide. */
            assignees: string[];
            /** @description Seconds until the deadline; 0: none. */
            deadline_s: number;
            /** @description The gate. */
            gate: string;
            /** @description The kind. */
            kind: components["schemas"]["ApprovalKind"];
            /**
             * Format: int64
             * @description The number of approvals needed.
             */
            quorum: number;
            /** @description The role that is asked. */
            role: string;
            /** @description The number of approvals needed, by role. */
            roles: {
                [key: string]: number;
            };
            /** @description The step. */
            step: string;
            /** @description A one-line title. */
            title: string;
        };
        /** @description The input of a step, and a sample of its output. */
        PreviewStep: {
            /** @description The id. */
            id: string;
            /** @description The input. */
            input: Raw | null;
            /**
             * Format: int64
             * @description The layer of the plan, from 0.
             */
            layer: number;
            /** @description The output; null until there is one. */
            output: Raw | null;
            /** @description done, skipped, failed or pending. */
            status: components["schemas"]["StepStatus"];
        };
        /** @description An error (RFC 9457). Some codes have additional members: already_decided has decided_by, decided_at and act. */
        Problem: {
            /** @description With already_decided: the act. */
            act?: string;
            /** @description A machine-readable code. */
            code: components["schemas"]["ProblemCode"];
            /**
             * Format: date-time
             * @description With already_decided: when.
             */
            decided_at?: string;
            /** @description With already_decided: who decided. */
            decided_by?: string;
            /** @description A description of the error. */
            detail: string;
            /** @description All problems, with paths. */
            errors: components["schemas"]["Fault"][];
            /**
             * Format: int64
             * @description With a fork that would bypass approval: the last event to fork from.
             */
            fork_at?: number;
            /** @description A suggestion, or empty. */
            hint: string;
            /** @description With conflict about a role: what needs it, or who has it. */
            needed_by?: string[];
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @description The title of the code. */
            title: string;
            /** @description A stable relative address that names the code. */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description A machine-readable error code. Codes never change their meaning.
         * @enum {string}
         */
        ProblemCode: "already_decided" | "conflict" | "forbidden" | "internal" | "invalid" | "not_found" | "rate_limited" | "too_large" | "unauthenticated" | "unavailable" | "unsupported" | "version_mismatch";
        /** @description The progress of a run. */
        Progress: {
            /**
             * Format: int64
             * @description Steps that are done.
             */
            done: number;
            /** @description Estimated seconds until the end; null if unknown. */
            eta_s: number | null;
            /**
             * Format: int64
             * @description Steps that are done, in percent.
             */
            percent: number;
            /**
             * Format: int64
             * @description All steps.
             */
            total: number;
        };
        /** @description An identity provider. */
        Provider: {
            /** @description The label of the provider. */
            label: string;
            /** @description The address where browsers sign in; return is the page to come back to. */
            url: string;
        };
        /** @description The version to publish. */
        Publishing: {
            /** @description Why; kept in the audit log. At most 1,000 characters. */
            note?: string;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
        };
        /** @description A browser that gets push messages. */
        PushBrowser: {
            /** @description What you call it. */
            browser: string;
            /**
             * Format: date-time
             * @description When it was subscribed.
             */
            created_at: string;
            /** @description The id. */
            id: string;
            /**
             * Format: date-time
             * @description When it was last used.
             */
            renewed_at: string;
        };
        /** @description Your browsers that get push messages. */
        PushBrowserList: {
            /** @description The items of this page. */
            items: components["schemas"]["PushBrowser"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The public key of this installation, for push messages. */
        PushKey: {
            /** @description An uncompressed point of P-256, in base64url. */
            key: string;
        };
        /** @description The keys of a browser. */
        PushKeys: {
            /** @description A secret that it shares with this server, in base64url. */
            auth: string;
            /** @description Its public key, in base64url. */
            p256dh: string;
        };
        /** @description The number of removed browsers. */
        PushRemoved: {
            /**
             * Format: int64
             * @description The number of browsers.
             */
            removed: number;
        };
        /** @description A subscription, as PushManager.subscribe of a browser returns it. */
        PushSubscription: {
            /** @description What you call it, such as Firefox on Android. */
            browser?: string;
            /** @description The address for messages at the browser's push service: https. */
            endpoint: string;
            /** @description What messages are encrypted with. */
            keys: components["schemas"]["PushKeys"];
        };
        /** @description The push service accepted the message. */
        PushTested: {
            /** @description Always true: other answers of the service are errors. */
            accepted: boolean;
        };
        /** @description Times of day at which you are not disturbed. */
        QuietHours: {
            /** @description From and To are times of day such as 22:00; a span may cross midnight. */
            from: string;
            /** @description The time zone; UTC if omitted. */
            timezone?: string;
            /** @description A person such as bob, or a role such as role:manager. */
            to: string;
        };
        /** @description The number of approvals needed and given. */
        Quorum: {
            /** @description Missing approvals, by role. */
            by_role?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description The number of approvals given.
             */
            given: number;
            /**
             * Format: int64
             * @description The number of approvals needed.
             */
            needed: number;
        };
        /** @description A person or a role that can receive an approval. */
        Recipient: {
            /** @description person or role. */
            kind: string;
            /** @description The name at the identity provider; otherwise the name. */
            label: string;
            /** @description The name of the person or role. */
            name: string;
            /** @description The person's roles that are visible to you. */
            roles: string[];
            /** @description The value for to in a decision: a name, or role:NAME. */
            to: string;
        };
        /** @description The possible recipients of an approval. */
        RecipientList: {
            /** @description The items of this page. */
            items: components["schemas"]["Recipient"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A decision as recorded. */
        RecordedDecision: {
            /** @description The act. */
            act: components["schemas"]["Act"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description A JSON merge patch (RFC 7396) for the proposal. */
            changes?: Raw | null;
            /** @description The comment. */
            comment?: string;
            /** @description The submitted data, for an approval of kind input. */
            data?: Raw | null;
            /** @description The person for whom a stand-in decided. */
            on_behalf_of?: string;
            /** @description The chosen option. */
            option?: string;
            /** @description The new proposal, if this decision changed it. */
            proposed?: Raw | null;
            /** @description If votes are counted by role: the role this vote counts for; * if none. */
            role?: string;
            /** @description The roles. */
            roles?: string[];
            /** @description A person such as bob, or a role such as role:manager. */
            to?: string;
            /**
             * Format: int64
             * @description The version that was decided.
             */
            version: number;
            /** @description Where the person decided, if in another program. */
            via?: components["schemas"]["DecidedVia"];
        };
        /** @description A comment on an approval. */
        Remark: {
            /** @description The comment, at most 64 KiB. */
            text: string;
        };
        /** @description When, by whom and why the payloads of a run were deleted. */
        Removed: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who did it. */
            by: string;
            /** @description Why. */
            reason: string;
        };
        /** @description A request in one run, and the tools that served it. */
        RequestServed: {
            /** @description Those that failed, or that people rejected. */
            not?: string[];
            /** @description Only if the workflow declares it; sensitive values are masked. */
            request: string;
            /** @description Those that served it. */
            tools?: string[];
        };
        /** @description How to resume a run; without limits, they stay as they were. */
        Resume: {
            /** @description The new limits of the agent that stopped the run, as totals. */
            limits?: components["schemas"]["LimitAmount"];
        };
        /** @description A review of an automatic approval. */
        Review: {
            /** @description Whether the rule was right. */
            agree: boolean;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description The comment. */
            comment: string;
        };
        /** @description A step whose dependencies would change. */
        RewiredStep: {
            /** @description The steps that it would wait for. */
            needs: string[];
            /** @description The step. */
            step: string;
        };
        /** @description The risk, with reasons. */
        Risk: {
            /** @description The level. */
            level?: components["schemas"]["RiskLevel"];
            /** @description Why, in words. */
            reasons?: string[];
        };
        /**
         * @description A level of risk.
         * @enum {string}
         */
        RiskLevel: "low" | "medium" | "high" | "critical";
        /** @description What its holders may do, and where. */
        Role: {
            /** @description True for a role that needs no document. */
            built_in: boolean;
            /** @description Who saved that version; empty if none is in force. */
            by: string;
            /** @description The roles that its holders may act as. */
            can_act_as: string[];
            /** @description A longer description. */
            description: string;
            /** @description True if it covers every workflow. */
            every_workflow: boolean;
            /** @description The kinds of approvals it covers; empty: all. */
            kinds: components["schemas"]["ApprovalKind"][];
            /** @description The name. */
            name: string;
            /** @description What it permits: view, comment, start, command, audit, sensitive, admin, the acts on approvals; decide covers every act, * everything. */
            permissions: string[];
            /**
             * Format: int64
             * @description The version of its document; 0 if none is in force.
             */
            version: number;
            /** @description True for a role whose document was withdrawn: it grants its holders nothing. */
            withdrawn: boolean;
            /** @description The workflows it covers; a name may end in *. Empty: see every. */
            workflows: string[];
        };
        /** @description All roles in force. */
        RoleList: {
            /** @description The items of this page. */
            items: components["schemas"]["Role"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description Where a role comes from. */
        RoleOrigin: {
            /** @description True for a built-in role without a document. */
            built_in: boolean;
            /** @description Who saved the document. */
            by: string;
            /** @description The name. */
            name: string;
            /**
             * Format: int64
             * @description The version of its document; 0 if there is none.
             */
            version: number;
            /** @description True if its document was withdrawn: it grants nothing. */
            withdrawn: boolean;
        };
        /** @description A rule of the policy. */
        Rule: {
            /** @description The effect. */
            effect: components["schemas"]["RuleEffect"];
            /** @description False if it is disabled. */
            enabled: boolean;
            /**
             * Format: int64
             * @description The maximum number of uses; omitted without a limit.
             */
            max_uses?: number;
            /** @description The name. */
            name: string;
            /** @description The location, as a dotted path or JSON pointer. */
            path: string;
            /**
             * Format: int64
             * @description Lower is evaluated first; rules under auto_approval have none.
             */
            priority?: number;
            /** @description The current share of cases it approves, in percent; only for growing rollouts. */
            rollout_now?: number;
            /**
             * Format: int64
             * @description The number of uses; only with max_uses.
             */
            used?: number;
            /** @description The condition, in words. */
            when: string;
        };
        /**
         * @description The effect of a rule.
         * @enum {string}
         */
        RuleEffect: "ask" | "approve" | "deny" | "none";
        /** @description The rule that requested the approval. */
        RuleName: {
            /**
             * Format: int64
             * @description The maximum number of approvals by the rule; omitted without a limit.
             */
            max_uses?: number;
            /** @description The name. */
            name: string;
            /** @description The version of the policy: pol_… */
            policy: string;
            /** @description The reason. */
            reason?: string;
        };
        /** @description The effect one rule would have had. */
        RuleOutcome: {
            /**
             * Format: int64
             * @description Decisions of people that would have been automatic.
             */
            asked_to_auto: number;
            /**
             * Format: int64
             * @description Cases that continued automatically and would have required a decision.
             */
            auto_to_asked: number;
            /** @description The effect of the rule. */
            effect: components["schemas"]["RuleEffect"];
            /** @description Saved working time. */
            minutes_saved: number;
            /** @description The rule; empty: no rule. */
            rule: string;
            /**
             * Format: int64
             * @description The number of cases it decides.
             */
            subjects: number;
            /**
             * Format: int64
             * @description Cases that people changed.
             */
            would_pass_modified: number;
            /**
             * Format: int64
             * @description Cases that people rejected.
             */
            would_pass_rejected: number;
        };
        /** @description The result of one rule. */
        RuleStep: {
            /** @description Whether this rule decides. */
            decides?: boolean;
            /** @description The location, as a dotted path or JSON pointer. */
            path: string;
            /**
             * Format: int64
             * @description Lower is evaluated first; none under auto_approval.
             */
            priority?: number;
            /** @description The result, in words. */
            result: string;
            /** @description The rule. */
            rule: string;
            /** @description The condition, in words. */
            when: string;
        };
        /** @description A run of a workflow. */
        Run: {
            /** @description The cost of steps that ran ahead of an approval and were not used, or not yet. It is not part of usage. */
            ahead_usage?: components["schemas"]["Usage"];
            /** @description Set while a cancelled run waits for its running steps. */
            cancelling?: components["schemas"]["Cancellation"];
            /** @description Input and outputs merged in plan order. */
            context: Raw | null;
            /**
             * Format: date-time
             * @description The next deadline of the run.
             */
            due_at?: string;
            /**
             * Format: date-time
             * @description When it ended; null until then.
             */
            ended_at: string | null;
            /** @description The failure; null if there is none. */
            error: components["schemas"]["Error"] | null;
            /** @description The run it was forked from; null if none. */
            forked_from: string | null;
            /** @description The id. */
            id: string;
            /** @description The input. */
            input: Raw | null;
            /** @description Labels to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The output; null until there is one. */
            output: Raw | null;
            /** @description Who started it. */
            owner: string;
            /** @description The parent run; null if none. */
            parent: string | null;
            /** @description The pause. */
            pause?: components["schemas"]["Pause"];
            /** @description The ids of the pending approvals. */
            pending_approvals: string[];
            /** @description The progress. */
            progress: components["schemas"]["Progress"];
            /** @description When, by whom and why the payloads were deleted; omitted if they were not. */
            removed?: components["schemas"]["Removed"];
            /** @description The run it retries; null if none. */
            retry_of: string | null;
            /**
             * Format: int64
             * @description The number of its newest event.
             */
            seq: number;
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string;
            /** @description The status. */
            status: components["schemas"]["RunStatus"];
            /** @description The steps. */
            steps: components["schemas"]["Step"][];
            /** @description What it is about, in a line. */
            subject?: string;
            /** @description True for a test run: steps with side effects return samples. */
            test_mode?: boolean;
            /** @description The newest 200 messages. */
            thread: components["schemas"]["Message"][];
            /** @description Model calls, tokens and cost. */
            usage: components["schemas"]["Usage"];
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description What people should know that stopped nothing. */
            warnings: components["schemas"]["Warning"][];
            /** @description The workflow. */
            workflow: string;
        };
        /** @description Runs started in the period. */
        RunFigures: {
            /** @description By status. */
            by_status: {
                [key: string]: number;
            };
            /** @description The cost in US dollars, as a decimal. */
            cost_usd: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
        };
        /**
         * @description The status of a run.
         * @enum {string}
         */
        RunStatus: "running" | "waiting" | "paused" | "completed" | "failed" | "cancelled" | "limit_reached";
        /** @description A run in a list. */
        RunSummary: {
            /** @description True while a cancelled run waits for its running steps. */
            cancelling?: boolean;
            /** @description The cost in US dollars, as a decimal. */
            cost_usd: string;
            /**
             * Format: date-time
             * @description The next deadline of the run.
             */
            due_at?: string;
            /**
             * Format: date-time
             * @description When it ended; null until then.
             */
            ended_at: string | null;
            /** @description The error message; null if it did not fail. */
            error: string | null;
            /** @description The run it was forked from; null if none. */
            forked_from: string | null;
            /** @description The id. */
            id: string;
            /** @description Labels to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description Who started it. */
            owner: string;
            /** @description The parent run; null if none. */
            parent: string | null;
            /**
             * Format: int64
             * @description The number of pending approvals.
             */
            pending: number;
            /** @description The progress. */
            progress: components["schemas"]["Progress"];
            /** @description The run it retries; null if none. */
            retry_of: string | null;
            /**
             * Format: int64
             * @description The number of its newest event.
             */
            seq: number;
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string;
            /** @description The status. */
            status: components["schemas"]["RunStatus"];
            /** @description What it is about, in a line. */
            subject?: string;
            /** @description True for a test run, which metrics exclude. */
            test_mode?: boolean;
            /**
             * Format: date-time
             * @description The time of the newest event.
             */
            updated_at: string;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description A page of runs. */
        RunSummaryList: {
            /** @description The items of this page. */
            items: components["schemas"]["RunSummary"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The lessons about tools from one run. */
        RunTaught: {
            /**
             * Format: date-time
             * @description When it ended.
             */
            at: string;
            /** @description The second tool was given a result of the first. */
            fits?: components["schemas"]["ToolPair"][];
            /** @description The run. */
            run: string;
            /** @description Requests, with the tools that served them. */
            served?: components["schemas"]["RequestServed"][];
            /** @description A step with the second tool needed one with the first. */
            then?: components["schemas"]["ToolPair"][];
            /** @description Tools that worked, in plan order. */
            tools: string[];
            /** @description The workflow. */
            workflow: string;
        };
        /** @description A page of lessons about tools, by run. */
        RunTaughtList: {
            /** @description The items of this page. */
            items: components["schemas"]["RunTaught"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description An automatic approval selected for review. */
        Sample: {
            /** @description Id of the approval. */
            approval: string;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The proposal. */
            proposed: Raw | null;
            /**
             * Format: date-time
             * @description When it was approved.
             */
            requested_at: string;
            /** @description Its review; null until then. */
            review: components["schemas"]["Review"] | null;
            /** @description The rule. */
            rule: string;
            /** @description The run. */
            run: string;
            /** @description The step. */
            step: string;
            /** @description A one-line title. */
            title: string;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description An input to try a workflow with. */
        SampleInput: {
            /** @description The input. */
            input: Raw | null;
            /** @description The name. */
            name: string;
        };
        /** @description The review to record. */
        SampleReview: {
            /** @description Whether the rule was right. */
            agree: boolean;
            /** @description The comment. */
            comment?: string;
        };
        /** @description Samples, and how often reviewers agreed. */
        Samples: {
            /** @description How often reviewers agreed, by rule. */
            accuracy: components["schemas"]["Accuracy"][];
            /** @description The items of this page. */
            items: components["schemas"]["Sample"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The state of a working copy after a change. */
        SavedCopy: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description The name of the workflow. */
            name: string;
            /**
             * Format: int64
             * @description Send it with the next change.
             */
            revision: number;
        };
        /** @description A schedule in force, with its next times. */
        Schedule: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who saved it. */
            by: string;
            /** @description The document as JSON. */
            definition: Raw | null;
            /** @description Names the content: sha256:… */
            digest: string;
            /** @description Whether it starts runs. */
            enabled: boolean;
            /** @description The id. */
            id: string;
            /** @description The time that was handled last. */
            last?: components["schemas"]["Firing"];
            /** @description The name. */
            name: string;
            /** @description The next times, at most five; none if it is not enabled. */
            next: string[];
            /** @description True for the version in force. */
            published: boolean;
            /** @description Whether this version is in force: published, or else a draft. */
            status?: components["schemas"]["DocumentStatus"];
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description What people should know that stopped nothing. */
            warnings?: components["schemas"]["ValidationFault"][];
            /** @description The workflow that it starts. */
            workflow: string;
            /** @description True if yaml is as written, with its comments. */
            written?: boolean;
            /** @description The document as a YAML file: as written, if that is known, otherwise generated. */
            yaml: string;
        };
        /** @description A page of schedules. */
        ScheduleList: {
            /** @description The items of this page. */
            items: components["schemas"]["Schedule"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A browser in which you are signed in. */
        Session: {
            /**
             * Format: date-time
             * @description When you signed in.
             */
            created_at: string;
            /** @description True for the session of this request. */
            current: boolean;
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /** @description The id. */
            id: string;
            /**
             * Format: date-time
             * @description When it was last used, to the minute.
             */
            seen_at: string;
            /** @description The sign-in method. */
            way: components["schemas"]["SignInWay"];
        };
        /** @description Your sessions. */
        SessionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Session"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A setting of the server, and where its value comes from. */
        Setting: {
            /** @description The variable that sets it. */
            env: string;
            /** @description The flag that sets it. */
            flag: string;
            /** @description The flag, the variable, or the file with its line; default otherwise. */
            from: string;
            /** @description As in the configuration file. */
            name: string;
            /** @description Then value is always empty; set shows whether there is one. */
            secret: boolean;
            /** @description Whether it has a value. */
            set: boolean;
            /** @description Where the value comes from. */
            source: components["schemas"]["SettingSource"];
            /** @description What it is for. */
            summary: string;
            /** @description Empty if it is a secret, or not set. */
            value: string;
        };
        /**
         * @description Where the value of a setting comes from.
         * @enum {string}
         */
        SettingSource: "flag" | "environment" | "file" | "default";
        /** @description The settings that the server was started with. */
        Settings: {
            /** @description The configuration file that was read; empty: none. */
            file: string;
            /** @description Every setting. */
            items: components["schemas"]["Setting"][];
            /** @description Of the program. */
            version: string;
        };
        /** @description A name and a password. */
        SignIn: {
            /** @description The name. */
            name: string;
            /** @description The password. */
            password: string;
        };
        /**
         * @description A sign-in method.
         * @enum {string}
         */
        SignInWay: "password" | "oidc" | "token" | "jwt" | "console" | "none";
        /** @description The available sign-in methods. */
        SignInWays: {
            /** @description False if sign-in is not enabled. */
            needed: boolean;
            /** @description The identity provider; null if there is none. */
            oidc: components["schemas"]["Provider"] | null;
            /** @description True if people may sign in with a name and a password. */
            password: boolean;
        };
        /** @description The sessions to end. */
        SignOut: {
            /** @description True to end all of your sessions, not only this one. */
            everywhere?: boolean;
        };
        /** @description The number of sessions that ended. */
        SignedOut: {
            /**
             * Format: int64
             * @description The number of sessions that ended.
             */
            ended: number;
        };
        /**
         * @description Why a step did not run.
         * @enum {string}
         */
        SkipReason: "if" | "need" | "command" | "rejected";
        /** @description A saved point in a run's log, to fork the run from. */
        Snapshot: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who saved it: a person, or the system as the workflow says. */
            by: components["schemas"]["Actor"];
            /**
             * Format: int64
             * @description The layer that it follows, from 0.
             */
            layer?: number;
            /** @description Why it was saved: command, after_step or after_layer. */
            reason: string;
            /**
             * Format: int64
             * @description The event to fork from: pass it as at_seq.
             */
            seq: number;
            /** @description The step that it follows. */
            step?: string;
        };
        /** @description A page of snapshots. */
        SnapshotList: {
            /** @description The items of this page. */
            items: components["schemas"]["Snapshot"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A stand-in. */
        StandIn: {
            /** @description Whether it is active now. */
            counts: boolean;
            /**
             * Format: date-time
             * @description The start.
             */
            from: string;
            /** @description The person who is away. */
            name: string;
            /** @description Notes about limits that people often do not expect. */
            notes: string[];
            /**
             * Format: date-time
             * @description When it was set.
             */
            set_at: string;
            /** @description Who set it. */
            set_by: string;
            /** @description The stand-in. */
            to: string;
            /**
             * Format: date-time
             * @description The end, exclusive.
             */
            until: string;
        };
        /** @description The stand-in to set. */
        StandInChange: {
            /**
             * Format: date-time
             * @description The start; now if omitted or in the past.
             */
            from?: string;
            /** @description The stand-in: a person. */
            to: string;
            /**
             * Format: date-time
             * @description The end: in the future, at most a year after from.
             */
            until: string | null;
        };
        /** @description The stand-ins. */
        StandInList: {
            /** @description The items of this page. */
            items: components["schemas"]["StandIn"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description A step of a run. */
        Step: {
            /** @description The agent that does the work. */
            agent?: string;
            /** @description If it ran ahead of an approval: running, returned, used or discarded. */
            ahead?: string;
            /** @description Set while the step waits for an overloaded or unavailable model. */
            busy?: components["schemas"]["Busy"];
            /** @description Its sub-run. */
            child?: string;
            /** @description The agent's confidence, from 0 to 1. */
            confidence?: number;
            /**
             * Format: int64
             * @description The duration; null until it ended.
             */
            duration_ms: number | null;
            /** @description For a map: its progress. */
            elements?: components["schemas"]["Elements"];
            /**
             * Format: date-time
             * @description When it ended; null until then.
             */
            ended_at: string | null;
            /** @description The failure; null if there is none. */
            error?: components["schemas"]["Error"];
            /** @description Comments on earlier tries, oldest first. */
            guidance?: string[];
            /** @description The id. */
            id: string;
            /** @description True if it was added while the run was in progress. */
            injected?: boolean;
            /** @description agent, tool, workflow or human. */
            kind: string;
            /**
             * Format: int64
             * @description The layer of the plan, from 0.
             */
            layer: number;
            /** @description The agent's limits. */
            limits?: components["schemas"]["Meter"][];
            /** @description The agent's logs. */
            logs?: string;
            /** @description The steps it depends on. */
            needs: string[];
            /** @description The output; null until there is one. */
            output: Raw | null;
            /** @description The agent's reasoning. */
            reasoning?: string;
            /**
             * Format: date-time
             * @description The time of the next retry of the step or its model; omitted if none is due.
             */
            retry_at?: string;
            /**
             * Format: int64
             * @description The number of revisions.
             */
            revision?: number;
            /** @description Why it did not run. */
            skipped?: components["schemas"]["SkipReason"];
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string | null;
            /** @description The status. */
            status: components["schemas"]["StepStatus"];
            /** @description The tool it calls. */
            tool?: string;
            /**
             * Format: int64
             * @description The attempt, from 1.
             */
            try: number;
            /**
             * Format: int64
             * @description The number of turns of the model.
             */
            turns?: number;
            /** @description Model calls, tokens and cost; omitted if unknown. */
            usage?: components["schemas"]["Usage"];
            /**
             * Format: int64
             * @description The time spent waiting for people, also before it started, in milliseconds.
             */
            waited_ms: number | null;
            /**
             * Format: int64
             * @description The working time, without waiting for people, in milliseconds; null before it started.
             */
            worked_ms: number | null;
            /** @description The workflow it runs. */
            workflow?: string;
        };
        /** @description A question that people would be asked about an added step. */
        StepAsk: {
            /** @description before the step, after it, at the call of its tool, or because of the tool's risk. */
            at: string;
            /** @description The replaced step from which the gate is inherited; empty: it is the step's own. */
            from?: string;
            /** @description The gate that asks; empty at a risk. */
            gate?: string;
            /** @description A one-line title. */
            title: string;
        };
        /** @description A step with its tries, calls and messages. */
        StepDetail: {
            /** @description The agent that does the work. */
            agent?: string;
            /** @description If it ran ahead of an approval: running, returned, used or discarded. */
            ahead?: string;
            /** @description Set while the step waits for an overloaded or unavailable model. */
            busy?: components["schemas"]["Busy"];
            /** @description Tool calls, the newest 500, oldest first. */
            calls: components["schemas"]["Call"][];
            /** @description Its sub-run. */
            child?: string;
            /** @description The agent's confidence, from 0 to 1. */
            confidence?: number;
            /**
             * Format: int64
             * @description The duration; null until it ended.
             */
            duration_ms: number | null;
            /** @description For a map: its progress. */
            elements?: components["schemas"]["Elements"];
            /**
             * Format: date-time
             * @description When it ended; null until then.
             */
            ended_at: string | null;
            /** @description The failure; null if there is none. */
            error?: components["schemas"]["Error"];
            /** @description Comments on earlier tries, oldest first. */
            guidance?: string[];
            /** @description The id. */
            id: string;
            /** @description True if it was added while the run was in progress. */
            injected?: boolean;
            /** @description The input; null until it starts. */
            input: Raw | null;
            /** @description agent, tool, workflow or human. */
            kind: string;
            /**
             * Format: int64
             * @description The layer of the plan, from 0.
             */
            layer: number;
            /** @description The agent's limits. */
            limits?: components["schemas"]["Meter"][];
            /** @description The agent's logs. */
            logs?: string;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description The steps it depends on. */
            needs: string[];
            /** @description The output; null until there is one. */
            output: Raw | null;
            /** @description The agent's reasoning. */
            reasoning?: string;
            /**
             * Format: date-time
             * @description The time of the next retry of the step or its model; omitted if none is due.
             */
            retry_at?: string;
            /**
             * Format: int64
             * @description The number of revisions.
             */
            revision?: number;
            /** @description Why it did not run. */
            skipped?: components["schemas"]["SkipReason"];
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string | null;
            /** @description The status. */
            status: components["schemas"]["StepStatus"];
            /** @description The tool it calls. */
            tool?: string;
            /** @description Attempts, the newest 500, oldest first. */
            tries: components["schemas"]["Try"][];
            /**
             * Format: int64
             * @description The attempt, from 1.
             */
            try: number;
            /**
             * Format: int64
             * @description The number of turns of the model.
             */
            turns?: number;
            /** @description Model calls, tokens and cost; omitted if unknown. */
            usage?: components["schemas"]["Usage"];
            /**
             * Format: int64
             * @description The time spent waiting for people, also before it started, in milliseconds.
             */
            waited_ms: number | null;
            /**
             * Format: int64
             * @description The working time, without waiting for people, in milliseconds; null before it started.
             */
            worked_ms: number | null;
            /** @description The workflow it runs. */
            workflow?: string;
        };
        /**
         * @description The status of a step.
         * @enum {string}
         */
        StepStatus: "pending" | "running" | "waiting" | "done" | "failed" | "skipped" | "cancelled";
        /** @description The reason for a step of a suggested plan. */
        StepWhy: {
            /** @description Whether a gate asks people before it. */
            asks: boolean;
            /** @description The reasons, in plain words. */
            because: string;
            /** @description The share of its part of the intent that the step accounts for, from 0 to 1; less if arguments are missing. */
            confidence: number;
            /** @description The part of the intent that it serves. */
            part: string;
            /** @description How dangerous a call is; missing for an agent. */
            risk?: string;
            /** @description How well the tool fits, compared with the others. */
            score: number;
            /** @description The step. */
            step: string;
            /** @description The tool, or agent:NAME. */
            tool: string;
            /** @description Required arguments that nothing provides: the workflow asks for them as its input. */
            unset?: string[];
        };
        /** @description The emergency stop: while it is on, no rule approves anything. */
        Stop: {
            /**
             * Format: date-time
             * @description When.
             */
            at?: string;
            /** @description Who. */
            by: string;
            /** @description Whether it is on. */
            on: boolean;
            /** @description The reason. */
            reason: string;
        };
        /** @description The case that a policy evaluates. */
        Subject: {
            /** @description The agent that does the work. */
            agent?: string;
            /**
             * Format: date-time
             * @description The time; now if omitted.
             */
            at?: string;
            /** @description The agent's confidence, from 0 to 1. */
            confidence?: number;
            /** @description Other data that rules may refer to: input, outputs of steps. */
            context?: Raw | null;
            /** @description The input of the step, the arguments of the call, or the result. */
            data?: Raw | null;
            /** @description Data of earlier actions with the same operation, which count in sums; omitted fields are those of data. */
            earlier?: unknown[];
            /** @description Whether it also applies to irreversible actions. */
            irreversible?: boolean;
            /** @description Identifies the case in rollouts. */
            key?: string;
            /** @description The operation. */
            operation?: string;
            /** @description Whether it is a step's result rather than an action about to run. */
            result?: boolean;
            /** @description The risk. */
            risk?: components["schemas"]["RiskLevel"];
            /** @description The step. */
            step?: string;
            /** @description The tool. */
            tool?: string;
            /** @description The workflow. */
            workflow?: string;
        };
        /** @description A rule suggested from past decisions. */
        Suggestion: {
            /**
             * Format: int64
             * @description The number of cases it covers.
             */
            covered: number;
            /** @description Cases that people approved unchanged; at most 20 are listed. */
            covers: components["schemas"]["Case"][];
            /** @description The id. */
            id: string;
            /** @description Cases that people rejected or changed, none of which it approves; at most 20 are listed. */
            leaves: components["schemas"]["Case"][];
            /**
             * Format: int64
             * @description The number of those cases.
             */
            left: number;
            /** @description Working time it would have saved. */
            minutes_saved: number;
            /** @description The rule as it would appear in the policy. */
            rule: Raw | null;
            /** @description The evidence for it. */
            why: string;
            /** @description The document as a YAML file. */
            yaml: string;
        };
        /** @description Suggested rules. */
        SuggestionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Suggestion"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The response to a command sent over the WebSocket. */
        Taken: {
            /** @description The reason for a refusal. */
            error?: components["schemas"]["Problem"];
            /** @description The id of the command. */
            id: Raw | null;
            /** @description Whether it was accepted. */
            ok: boolean;
            /**
             * Format: int64
             * @description The number in the run's log.
             */
            seq?: number;
        };
        /** @description A workflow to start from. */
        Template: {
            /** @description An input to try it with. */
            input?: Raw | null;
            /** @description The name. */
            name: string;
            /** @description One sentence. */
            summary: string;
            /** @description A few words. */
            title: string;
            /** @description The agents and other workflows that it uses, in the order to save them in. */
            uses: components["schemas"]["TemplateDocument"][];
            /** @description The workflow as a file. */
            yaml: string;
        };
        /** @description A document that a template uses. */
        TemplateDocument: {
            /** @description agent or workflow. */
            kind: string;
            /** @description The name. */
            name: string;
            /** @description The document as a file. */
            yaml: string;
        };
        /** @description A page of templates. */
        TemplateList: {
            /** @description The items of this page. */
            items: components["schemas"]["Template"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /**
         * @description What happens on timeout.
         * @enum {string}
         */
        TimeoutAct: "approve" | "reject" | "cancel" | "default" | "pause" | "escalate";
        /** @description The credentials of a program, or of a person's script. */
        Token: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description Who created it. */
            created_by: string;
            /**
             * Format: date-time
             * @description When it expires; null if never.
             */
            expires_at: string | null;
            /** @description The id. */
            id: string;
            /** @description The kind of identity. Agents never decide. */
            kind: components["schemas"]["TokenKind"];
            /**
             * Format: date-time
             * @description When it was last used, to the minute; null if never.
             */
            last_used_at: string | null;
            /** @description The name. */
            name: string;
            /** @description The roles. */
            roles: string[];
            /** @description The value for Authorization: Bearer. It is returned once, when the token is created. */
            secret?: string;
        };
        /**
         * @description The kind of identity that a token acts as.
         * @enum {string}
         */
        TokenKind: "person" | "service" | "agent";
        /** @description All tokens. */
        TokenList: {
            /** @description The items of this page. */
            items: components["schemas"]["Token"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description Something that a step can use: a tool, or an agent. */
        Tool: {
            /** @description Whether only an agent at work can use it; a step cannot. */
            agents_only?: boolean;
            /** @description JSON Schema of its arguments. */
            args_schema?: Raw | null;
            /** @description Its document as JSON; missing if it has none. */
            definition?: Raw | null;
            /** @description A longer description. */
            description: string;
            /** @description none: it changes nothing anywhere. */
            effects?: string;
            /** @description As steps and agents name it: crm_lookup, mcp:files/read_file. An agent is agent:NAME. */
            name: string;
            /** @description What it does to the world, as policy rules see it. */
            operation?: string;
            /** @description JSON Schema of what it returns. */
            output_schema?: Raw | null;
            /** @description How dangerous a call is, as far as declarations and the name tell; missing for an agent. */
            risk?: string;
            /** @description How well it fits the request, from 0 to 1; only in a search. */
            score?: number;
            /** @description The MCP server that has it. */
            server?: string;
            /** @description Where it comes from. */
            source: string;
            /**
             * Format: int64
             * @description The version of its document; 0 if it has none.
             */
            version: number;
            /** @description Why it was found; only in a search. */
            why?: string[];
            /** @description Its document as a YAML file; missing if it has none. */
            yaml?: string;
        };
        /** @description A page of tools and agents. */
        ToolList: {
            /** @description The items of this page. */
            items: components["schemas"]["Tool"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /** @description What the list does not cover, such as a server that has not answered. */
            notes?: string[];
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
        };
        /** @description Two tools, in this order. */
        ToolPair: {
            /** @description The first. */
            from: string;
            /** @description The second. */
            to: string;
        };
        /** @description The input of a trial of an agent. */
        Trial: {
            /** @description The input of the agent; an empty object if omitted. */
            input?: Raw | null;
            /** @description The workflow for which calls are judged: rules of the policy may apply to some workflows only. */
            workflow?: string;
            /** @description The agent as a file, to try it before it is saved; the one in force if omitted. */
            yaml?: string;
        };
        /** @description An approval that would be requested. */
        TrialAsk: {
            /** @description The rule approves it without asking. */
            auto: boolean;
            /**
             * Format: int64
             * @description The number of approvals.
             */
            needed: number;
            /** @description The reason. */
            reason: components["schemas"]["ApprovalReason"];
            /** @description Null: not rated. */
            risk: components["schemas"]["RiskLevel"] | null;
            /** @description The role that is asked; empty: people by name, or anyone. */
            role: string;
            /** @description The rule of the policy; empty: none. */
            rule: string;
            /** @description A one-line title. */
            title: string;
            /** @description The people that are asked by name. */
            who: string[];
        };
        /** @description A tool call that was not made. */
        TrialCall: {
            /** @description The answer that the model got: the tool's sample. */
            answer: Raw | null;
            /** @description The arguments. */
            args: Raw | null;
            /** @description Approvals that it would need, or that a rule would give. */
            asks: components["schemas"]["TrialAsk"][];
            /** @description What it would do, in words. */
            description: string;
            /** @description The tool. */
            tool: string;
            /** @description What would happen to it in a run. */
            verdict: components["schemas"]["TrialVerdict"];
            /** @description Why it would be refused; empty otherwise. */
            why: string;
        };
        /**
         * @description How a trial ended.
         * @enum {string}
         */
        TrialOutcome: "completed" | "failed" | "stopped";
        /** @description The report of a trial of an agent. */
        TrialReport: {
            /** @description The agent that does the work. */
            agent: string;
            /** @description Approvals of the step itself, such as of an answer with low confidence. */
            asks: components["schemas"]["TrialAsk"][];
            /** @description The agent's confidence, from 0 to 1; null if not reported. */
            confidence: number | null;
            /** @description What to know about the result. */
            notes: string[];
            /** @description How it ended. */
            outcome: components["schemas"]["TrialOutcome"];
            /** @description What it answered; null if it came to no answer. */
            output: Raw | null;
            /** @description The reasons that the agent gave; empty: none. */
            reasoning: string;
            /** @description The agent was not called, because it may have effects: the output is its sample. */
            sampled: boolean;
            /** @description What the model wrote and called, turn by turn. */
            turns: components["schemas"]["TrialTurn"][];
            /** @description Model calls, tokens and cost. */
            usage: components["schemas"]["Usage"];
            /**
             * Format: int64
             * @description The version that was tried; 0: the text in the request.
             */
            version: number;
            /** @description Why it failed or was stopped; empty if it completed. */
            why: string;
            /** @description The workflow that the calls were judged for; empty: none in particular. */
            workflow: string;
        };
        /** @description One turn of a model. */
        TrialTurn: {
            /** @description Another one after a hand-off. */
            agent: string;
            /** @description The calls that it requested. */
            calls: components["schemas"]["TrialCall"][];
            /** @description What the model wrote. */
            text: string;
        };
        /**
         * @description The verdict on a call, as in a run.
         * @enum {string}
         */
        TrialVerdict: "run" | "approved" | "ask" | "denied" | "refused";
        /** @description A trigger in force, with its last deliveries. */
        Trigger: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who saved it. */
            by: string;
            /** @description The document as JSON. */
            definition: Raw | null;
            /** @description The last deliveries, newest first; in a list of triggers, the last one without its payload. */
            deliveries: components["schemas"]["TriggerDelivery"][];
            /** @description Names the content: sha256:… */
            digest: string;
            /** @description Whether it starts runs. */
            enabled: boolean;
            /** @description The id. */
            id: string;
            /** @description The name. */
            name: string;
            /** @description Where deliveries are sent to, below the address of the server. */
            path: string;
            /** @description True for the version in force. */
            published: boolean;
            /** @description Deliveries that failed authentication; null if there were none. */
            refused: components["schemas"]["TriggerRefused"] | null;
            /** @description Whether this version is in force: published, or else a draft. */
            status?: components["schemas"]["DocumentStatus"];
            /** @description How deliveries are verified. */
            verify: components["schemas"]["VerifyKind"];
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description What people should know that stopped nothing. */
            warnings?: components["schemas"]["ValidationFault"][];
            /** @description The workflow that it starts. */
            workflow: string;
            /** @description True if yaml is as written, with its comments. */
            written?: boolean;
            /** @description The document as a YAML file: as written, if that is known, otherwise generated. */
            yaml: string;
        };
        /** @description A message that another system sent to a trigger. */
        TriggerDelivery: {
            /**
             * Format: date-time
             * @description When it arrived first.
             */
            at: string;
            /** @description Why it started none. */
            cause?: string;
            /** @description The sender's word for what happened. */
            event?: string;
            /** @description The id. */
            id: string;
            /**
             * Format: date-time
             * @description When it arrived last.
             */
            last_at: string;
            /** @description Whether values are masked for you; they are shown as •••. */
            masked?: boolean;
            /** @description The masked values, as JSON pointers; the first 200. */
            masked_paths?: string[];
            /** @description started: a run began; failed: none could begin; ignored: none was wanted. */
            outcome: components["schemas"]["HookOutcome"];
            /** @description What the sender sent; none if it was not JSON. */
            payload?: Raw | null;
            /** @description Whether its content was deleted. */
            removed?: boolean;
            /** @description The run that it started. */
            run?: string;
            /** @description The sender's id of it. */
            sender_id?: string;
            /**
             * Format: int64
             * @description How often it arrived.
             */
            times: number;
        };
        /** @description A page of triggers. */
        TriggerList: {
            /** @description The items of this page. */
            items: components["schemas"]["Trigger"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description The response to a delivery. */
        TriggerReceipt: {
            /** @description The id of the delivery here. */
            delivery: string;
            /** @description started, or ignored for a ping. */
            outcome: components["schemas"]["HookOutcome"];
            /** @description Whether this is a duplicate delivery. */
            repeated?: boolean;
            /** @description The run; none for a ping. */
            run?: string;
        };
        /** @description Deliveries to a trigger that failed authentication. */
        TriggerRefused: {
            /**
             * Format: date-time
             * @description The last one.
             */
            at: string;
            /** @description Why it was refused. */
            cause: string;
            /**
             * Format: int64
             * @description How many this process refused since it started.
             */
            count: number;
        };
        /** @description An attempt at a step. */
        Try: {
            /**
             * Format: date-time
             * @description When it ended; null until then.
             */
            ended_at: string | null;
            /** @description The failure; null if there is none. */
            error?: components["schemas"]["Error"];
            /**
             * Format: int64
             * @description The element of a map, from 0.
             */
            index?: number;
            /** @description The agent's logs. */
            logs?: string;
            /** @description The output; null until there is one. */
            output?: Raw | null;
            /**
             * Format: date-time
             * @description When the retry was due.
             */
            retry_at?: string;
            /**
             * Format: int64
             * @description The number of revisions before it.
             */
            revision?: number;
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string;
            /**
             * Format: int64
             * @description The attempt, from 1.
             */
            try: number;
            /**
             * Format: int64
             * @description The number of turns of the model.
             */
            turns?: number;
        };
        /** @description Model calls, tokens and cost. */
        Usage: {
            /**
             * @description The cost in US dollars, as a decimal.
             * @example 0.0375
             */
            cost_usd?: string;
            /**
             * Format: int64
             * @description Calls to models.
             */
            llm_calls?: number;
            /**
             * Format: int64
             * @description Tokens read by models.
             */
            tokens_in?: number;
            /**
             * Format: int64
             * @description Tokens written by models.
             */
            tokens_out?: number;
        };
        /** @description Usage and cost of an agent on one day (UTC). */
        UsageDay: {
            /** @description The cost in US dollars, as a decimal. */
            cost_usd: string;
            /** @description The day, such as 2026-03-01. */
            day: string;
            /**
             * Format: int64
             * @description Steps that failed.
             */
            failed_steps: number;
            /**
             * Format: int64
             * @description Calls of models.
             */
            llm_calls: number;
            /**
             * Format: int64
             * @description Runs in which it worked.
             */
            runs: number;
            /**
             * Format: int64
             * @description Steps that it completed or that failed.
             */
            steps: number;
            /**
             * Format: int64
             * @description Tokens read by models.
             */
            tokens_in: number;
            /**
             * Format: int64
             * @description Tokens written by models.
             */
            tokens_out: number;
        };
        /** @description The problems of a document. */
        Validation: {
            /** @description All problems. */
            problems: components["schemas"]["ValidationFault"][];
            /** @description Whether it could be saved. */
            valid: boolean;
            /** @description Warnings; it can be saved. */
            warnings: components["schemas"]["ValidationFault"][];
        };
        /** @description A problem at one location of a document. */
        ValidationFault: {
            /**
             * Format: int64
             * @description The column, from 1, if the source text is known.
             */
            column?: number;
            /** @description The line and a caret. */
            excerpt?: string;
            /** @description The file, if there is one. */
            file?: string;
            /**
             * Format: int64
             * @description The line, from 1, if the source text is known.
             */
            line?: number;
            /** @description The problem, in words. */
            message: string;
            /** @description The location, as a dotted path or JSON pointer. */
            path: string;
            /** @description True for a warning, which is not an error. */
            warning?: boolean;
        };
        /** @description A policy's verdict on a case, rule by rule. */
        Verdict: {
            /** @description The result; none: no rule applies. */
            effect: components["schemas"]["RuleEffect"];
            /** @description Hash of the policy. */
            policy: string;
            /** @description The reason. */
            reason: string;
            /** @description The rule that decided. */
            rule: string;
            /** @description The result of each rule, in order of evaluation. */
            steps: components["schemas"]["RuleStep"][];
        };
        /**
         * @description How deliveries to a trigger are authenticated.
         * @enum {string}
         */
        VerifyKind: "standard" | "github" | "header" | "none";
        /** @description A saved version of a document. */
        Version: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who saved it. */
            by: string;
            /** @description Names the content: sha256:… */
            digest: string;
            /** @description The id. */
            id: string;
            /** @description The name. */
            name: string;
            /** @description True for the version in force. */
            published: boolean;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
        };
        /** @description A document that has changed since it was approved. */
        VersionChange: {
            /** @description The approved version: its number, or a digest if it has none; empty if it was not used. */
            from: string;
            /** @description tool, agent, mcp_server, mcp_tool, workflow or builtin. */
            kind: string;
            /** @description The name. */
            name: string;
            /** @description The version that would be used now. */
            to: string;
        };
        /** @description A page of versions. */
        VersionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Version"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
        /** @description Decisions by waiting time. */
        WaitFigures: {
            /**
             * Format: int64
             * @description How many.
             */
            count: number;
            /** @description The upper bound of this bucket in seconds, exclusive; null for the last one. */
            under_s: number | null;
        };
        /** @description A notice that did not stop the run. */
        Warning: {
            /** @description A machine-readable code. */
            code: string;
            /** @description The problem, in words. */
            message: string;
            /** @description The location, as a dotted path or JSON pointer. */
            path?: string;
        };
        /** @description The difference between two versions of a workflow, part by part. */
        WorkflowDiff: {
            /** @description The one version. */
            from: components["schemas"]["Version"];
            /** @description The gates that differ. */
            gates: components["schemas"]["PartDiff"][];
            /** @description Gates, including those of human steps, where people are no longer asked. */
            gates_removed: string[];
            /** @description Everything else that differs. */
            settings: components["schemas"]["Change"][];
            /** @description The steps that differ. */
            steps: components["schemas"]["PartDiff"][];
            /** @description A unified diff of both versions as files; empty if they are the same. */
            text: string;
            /** @description The other version. */
            to: components["schemas"]["Version"];
        };
        /** @description Metrics of one workflow. */
        WorkflowFigures: {
            /** @description The cost in US dollars, as a decimal. */
            cost_usd: string;
            /** @description Started runs, by status. */
            runs: {
                [key: string]: number;
            };
            /** @description The workflow. */
            workflow: string;
        };
        /** @description The data along each edge of a workflow, computed from samples. */
        WorkflowPreview: {
            /** @description The data passed between steps. */
            edges: components["schemas"]["PreviewEdge"][];
            /** @description The failure; null if it would not fail. */
            error: components["schemas"]["Error"] | null;
            /** @description The questions that would be asked. */
            gates: components["schemas"]["PreviewGate"][];
            /** @description The output; null until there is one. */
            output: Raw | null;
            /** @description The steps. */
            steps: components["schemas"]["PreviewStep"][];
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description A workflow that people are editing. */
        WorkingCopy: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /**
             * Format: int64
             * @description The version that it started from, or was last saved as; 0: none.
             */
            base: number;
            /** @description Who changed it last. */
            by: string;
            /** @description Where steps are drawn, by their id; others are placed automatically. */
            layout: {
                [key: string]: components["schemas"]["Point"];
            };
            /** @description The name of the workflow. */
            name: string;
            /**
             * Format: int64
             * @description The number of this state; send it with the next change.
             */
            revision: number;
            /** @description Inputs to try it with. */
            samples: components["schemas"]["SampleInput"][];
            /** @description The workflow as a file, with its comments. It need not be valid. */
            yaml: string;
        };
        /** @description A page of working copies. */
        WorkingCopyList: {
            /** @description The items of this page. */
            items: components["schemas"]["WorkingCopy"][];
            /** @description The cursor of the next page; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description The total number of items.
             */
            total: number;
            /** @description True if there are at least total items, but possibly more. */
            total_is_lower_bound?: boolean;
        };
    };
    responses: {
        /** @description Not possible in the current state: already_decided (with decided_by, decided_at and act), version_mismatch, or conflict. */
        Conflict: Raw | null;
        /** @description Permission denied, or the request comes from a page of another site. */
        Forbidden: Raw | null;
        /** @description Internal error; the server log has the details under the X-Request-Id of the response. */
        Internal: Raw | null;
        /** @description Well-formed but not valid; errors lists every problem with its path. A refused fork has fork_at, the last event to fork from with these edits. */
        Invalid: Raw | null;
        /** @description The body is not valid JSON, or is incomplete. */
        Malformed: Raw | null;
        /** @description The range is not available. */
        NoSuchRange: Raw | null;
        /** @description Not found. */
        NotFound: Raw | null;
        /** @description It has changed since you loaded it. */
        PreconditionFailed: Raw | null;
        /** @description The body is larger than 16 MiB, or a value or the result is over a limit. */
        TooLarge: Raw | null;
        /** @description Too many requests, or attempts to sign in. Retry-After gives the time to wait. */
        TooManyRequests: Raw | null;
        /** @description Authentication required; sign_in lists the ways to sign in. */
        Unauthenticated: Raw | null;
        /** @description The server is starting, stopping, or cannot reach its store. Retry-After gives the time to wait. */
        Unavailable: Raw | null;
        /** @description The media type of the body is not accepted. */
        UnsupportedMediaType: Raw | null;
        /** @description This endpoint requires a WebSocket. */
        UpgradeRequired: Raw | null;
    };
    parameters: {
        /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
        IdempotencyKey: string;
        /** @description The ETag of the correction you saw, or the version of the lesson in quotes; 412 if it was corrected since. */
        IfLessonMatch: string;
        /** @description The ETag of the approval you saw, instead of version in the body. */
        IfMatch: string;
        /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
        IfNoneMatch: string;
        /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
        IfVersionMatch: string;
        /** @description The number of the last event you received; the stream continues after it. */
        LastEventID: number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    putAccount: {
        parameters: {
            query?: {
                /** @description Fail if it exists, or if it does not. */
                only?: "create" | "change";
            };
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         "approver"
                 *       ],
                 *       "disabled": false
                 *     }
                 */
                "application/json": components["schemas"]["AccountChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAgentUsage: {
        parameters: {
            query?: {
                /** @description How far back: a duration such as 30d, or a time. */
                since?: string;
                /** @description The end: a duration back from now, or a time (default: now). */
                until?: string;
                /** @description Only this workflow. */
                workflow?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentUsages"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveAgent: {
        parameters: {
            query?: {
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": "greeter",
                 *       "kind": "scripted",
                 *       "answers": [
                 *         {
                 *           "output": {
                 *             "text": "Hello"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    tryAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input": {
                 *         "order_id": "A-5501"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Trial"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrialReport"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAgentUsage: {
        parameters: {
            query?: {
                /** @description How far back: a duration such as 30d, or a time. */
                since?: string;
                /** @description The end: a duration back from now, or a time (default: now). */
                until?: string;
                /** @description Only this workflow. */
                workflow?: string;
            };
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentUsageDays"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAgentVersions: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAgentVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
                /** @description The number of the version. */
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description Only approvals with this status; repeatable. Comma-separated, or repeated. */
                status?: ("pending" | "approved" | "modified" | "rejected" | "chosen" | "submitted" | "revision_requested" | "timed_out" | "cancelled" | "auto_approved")[];
                /** @description Only approvals that this role can decide, and those that anyone can. Comma-separated, or repeated. */
                role?: string[];
                /** @description Only approvals for you: pending ones that you may decide, and settled ones that asked you by name, by one of your roles or one that you may act as, or asked someone you stand in for. total counts up to 1,000 and is a lower bound beyond that. */
                mine?: boolean;
                /** @description Only approvals of this workflow's runs. */
                workflow?: string;
                /** @description Only approvals of this agent's work. */
                agent?: string;
                /** @description Only with this risk. */
                risk?: "low" | "medium" | "high" | "critical";
                /** @description Only of this kind. */
                kind?: "approval" | "choice" | "input" | "escalation";
                /** @description Only of this run. */
                run?: string;
                /** @description Only about calls of this tool. */
                tool?: string;
                /** @description Instead of approvals, results that continued with a confidence from the threshold (default 0.7) to under 0.9, newest first. Test runs are excluded. There is nothing to decide: acts is empty, reason is review_suggested, and the result is at that step of the run. Can be combined with workflow, agent, run and q. */
                review?: "suggested";
                /** @description Only approvals with all these words, or words that begin with them, in title, subject, workflow, step, agent, tool, people or id. */
                q?: string;
                /** @description Pending approvals only, with one row for similar approvals of a run; alike has their number and ids. Approvals with an unusual amount or value have their own row. Up to 1,000 approvals are grouped per page, whatever the limit; total counts approvals. */
                group?: "alike";
                /** @description The order: most urgent, oldest, soonest deadline, newest or last settled first. Most urgent (`priority`) sorts by deadline, or by the time of the request if there is none; higher risks rank earlier, and much earlier if a timeout approves, rejects or cancels. */
                sort?: "priority" | "age" | "deadline" | "newest" | "settled";
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    decideMany: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "apr_1",
                 *         "apr_2"
                 *       ],
                 *       "act": "approve"
                 *     }
                 */
                "application/json": components["schemas"]["Batch"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    expireApprovals: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "older_than": "72h",
                 *       "comment": "Stale.",
                 *       "workflow": "refund-email"
                 *     }
                 */
                "application/json": components["schemas"]["Expiry"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getApproval: {
        parameters: {
            query?: {
                /** @description Return values over 64 KiB in full instead of a reference with a preview. */
                full?: boolean;
            };
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    explainAccess: {
        parameters: {
            query?: {
                /** @description The person; you if omitted. */
                user?: string;
                /** @description The roles to check; those of the account if omitted. Comma-separated, or repeated. */
                roles?: string[];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Access"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Is this the address from the ticket?"
                 *     }
                 */
                "application/json": components["schemas"]["Remark"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    decide: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the approval you saw, instead of version in the body. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "act": "modify",
                 *       "changes": {
                 *         "amount": 45
                 *       },
                 *       "comment": "Half of it.",
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewChanges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "changes": {
                 *         "amount": 45
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Changes"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangePreview"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRecipients: {
        parameters: {
            query?: {
                /** @description Only those whose name, label or role contains all these words. */
                q?: string;
                /** @description The maximum number of items. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only actions of a person or program with this name; service:nightly means the name nightly, as in a run's owner. */
                actor?: string;
                /** @description Only this action, such as approval.decided. */
                action?: string;
                /** @description Only entries about this id; for a run, everything that belongs to it. */
                target?: string;
                /** @description Only actions that were done, or that were refused. */
                outcome?: "done" | "refused";
                /** @description Only since then: a duration such as 30d, or a time. */
                since?: string;
                /** @description Only until then: a duration such as 1h, or a time. */
                until?: string;
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    tabulateAudit: {
        parameters: {
            query?: {
                /** @description Only actions of a person or program with this name; service:nightly means the name nightly, as in a run's owner. */
                actor?: string;
                /** @description Only this action, such as approval.decided. */
                action?: string;
                /** @description Only entries about this id; for a run, everything that belongs to it. */
                target?: string;
                /** @description Only actions that were done, or that were refused. */
                outcome?: "done" | "refused";
                /** @description Only since then: a duration such as 30d, or a time. */
                since?: string;
                /** @description Only until then: a duration such as 1h, or a time. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportAudit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    proveAuditConsistency: {
        parameters: {
            query?: {
                /** @description The entry at which the earlier head ends. */
                from?: number;
                /** @description The entry at which the later head ends (default: the newest). */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAuditHead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEnd"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyAudit: {
        parameters: {
            query?: {
                /** @description Start after this entry. */
                after?: number;
                /** @description Check this many entries (default: all). */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditCheck"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listChannels: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveChannel: {
        parameters: {
            query?: {
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel": "browser",
                 *       "kind": "push"
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Channel"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    testChannel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelTest"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliverables: {
        parameters: {
            query?: {
                /** @description Only those of this run. */
                run?: string;
                /** @description Only those of this agent. */
                agent?: string;
                /** @description Only those of this type. */
                type?: "document" | "code" | "data" | "media" | "other";
                /** @description Only those with this status. */
                status?: "draft" | "final" | "archived";
                /** @description Only those created since then: a duration such as 30d, or a time. */
                since?: string;
                /** @description Only those created until then: a duration such as 1h, or a time. */
                until?: string;
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliverableList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDeliverable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliverable"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    downloadDeliverable: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            416: components["responses"]["NoSuchRange"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewDeliverable: {
        parameters: {
            query?: {
                /** @description Return up to 16 MiB of a text instead of 256 KiB. */
                full?: boolean;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Whether there is more than is shown. */
                    "X-Assent-Cut"?: boolean;
                    [name: string]: unknown;
                };
                content: {
                    "image/gif": string;
                    "image/jpeg": string;
                    "image/png": string;
                    "image/webp": string;
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    markDeliverable: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "final",
                 *       "version": 2
                 *     }
                 */
                "application/json": components["schemas"]["Mark"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliverable"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliverableVersions: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliverableList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Only those with one of these statuses. Comma-separated, or repeated. */
                status?: ("queued" | "sent" | "updated" | "failed" | "suppressed")[];
                /** @description Only those about this approval. */
                approval?: string;
                /** @description Only those about this run. */
                run?: string;
                /** @description Only those on this channel. */
                channel?: string;
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Start after this number of the feed; 0 is the beginning. By default, the stream starts now. */
                after?: number;
                /** @description Only events of this run. */
                run?: string;
                /** @description Only events of these types. Comma-separated, or repeated. */
                types?: ("agent.handed_off" | "agent.message" | "approval.auto_approved" | "approval.commented" | "approval.decided" | "approval.escalated" | "approval.needed" | "approval.paused" | "approval.reminder" | "approval.resolved" | "approval.timed_out" | "call.args_changed" | "call.completed" | "call.input_needed" | "call.rebound" | "call.requested" | "call.retrying" | "call.started" | "child.ended" | "child.waiting" | "consult.answered" | "consult.read" | "consult.retrying" | "consult.started" | "definition.changed" | "deliverable.created" | "deliverable.marked" | "element.completed" | "gate.passed" | "layer.started" | "limit.granted" | "limit.raised" | "limit.warning" | "message.added" | "note.added" | "payloads.removed" | "plan.changed" | "point.passed" | "policy.changed" | "replan.answered" | "replan.requested" | "replan.settled" | "review.suggested" | "run.cancelled" | "run.cancelling" | "run.completed" | "run.failed" | "run.forked" | "run.limit_reached" | "run.paused" | "run.reopened" | "run.resumed" | "run.started" | "run.unpaused" | "run.waiting" | "snapshot.saved" | "speculation.discarded" | "speculation.returned" | "speculation.used" | "state.updated" | "step.args_changed" | "step.completed" | "step.expanded" | "step.failed" | "step.rebound" | "step.retrying" | "step.returned" | "step.revised" | "step.skipped" | "step.speculated" | "step.started" | "trigger.delivered" | "turn.completed" | "turn.retrying" | "turn.started" | "warning.raised")[];
                /** @description Return values over 64 KiB in full instead of a reference with a preview. */
                full?: boolean;
                /** @description Include progress of agents (step.progress), which has no number and is not stored. */
                progress?: boolean;
                /** @description Follow each event that ends a step by state.updated with {step, seq, state}: the run as of that event, as GET /runs/{id}/state shows it. It has no number and is not stored. Requires run. */
                state?: boolean;
            };
            header?: {
                /** @description The number of the last event you received; the stream continues after it. */
                "Last-Event-ID"?: components["parameters"]["LastEventID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getGraph: {
        parameters: {
            query?: {
                /** @description Only this tool and those related to it. */
                tool?: string;
                /** @description The maximum number of nodes, and of edges. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Graph"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    forgetGraph: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tool": "xml_parse",
                 *       "reason": "It was replaced."
                 *     }
                 */
                "application/json": components["schemas"]["GraphForgetting"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphForgotten"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rebuildGraph: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphRebuilt"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLearnedRequests: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearnedRequestList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRunsTaught: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTaughtList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    receiveDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "order": {
                 *         "id": "A-5501"
                 *       }
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerReceipt"];
                };
            };
            /** @description Accepted, and durable. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerReceipt"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInsights: {
        parameters: {
            query?: {
                /** @description How far back: a duration such as 30d, or a time. */
                since?: string;
                /** @description The end: a duration back from now, or a time (default: now). */
                until?: string;
                /** @description Only this workflow. */
                workflow?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insights"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLessons: {
        parameters: {
            query?: {
                /** @description Only lessons about this agent. */
                agent?: string;
                /** @description Only lessons from this workflow. */
                workflow?: string;
                /** @description Only lessons about calls of this tool. */
                tool?: string;
                /** @description Those that agents no longer receive, instead of the others. */
                removed?: boolean;
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LessonList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportLessons: {
        parameters: {
            query?: {
                /** @description Only lessons about this agent. */
                agent?: string;
                /** @description Only lessons from this workflow. */
                workflow?: string;
                /** @description Only lessons about calls of this tool. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    correctLesson: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the correction you saw, or the version of the lesson in quotes; 412 if it was corrected since. */
                "If-Match"?: components["parameters"]["IfLessonMatch"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Amounts over 100 need a receipt.",
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["LessonCorrection"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Correction"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMCPServers: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MCPServerList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkMCPServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MCPServer"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMyLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    addMyLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "…"
                 *     }
                 */
                "application/json": components["schemas"]["NewLink"];
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeMyLink: {
        parameters: {
            query?: {
                /** @description The link. */
                id?: string;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLinkOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Link"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMyNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyNotifications"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveMyNotifications: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com",
                 *       "quiet_hours": {
                 *         "from": "22:00",
                 *         "to": "07:00",
                 *         "timezone": "Europe/Berlin"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Preferences"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyNotifications"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "old": "…",
                 *       "new": "…"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMyPushes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushBrowserList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    subscribeMyPush: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint": "…",
                 *       "keys": {
                 *         "p256dh": "…",
                 *         "auth": "…"
                 *       },
                 *       "browser": "Firefox on Android"
                 *     }
                 */
                "application/json": components["schemas"]["PushSubscription"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushBrowser"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    unsubscribeMyPush: {
        parameters: {
            query?: {
                /** @description The browser; all of yours if omitted. */
                id?: string;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushRemoved"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    testMyPush: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushTested"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMySessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    endMySession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMyTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeMyToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getNotifications: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveNotifications: {
        parameters: {
            query?: {
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "notifications": "default",
                 *       "events": {
                 *         "approval.needed": [
                 *           "email"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOpenAPI: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
        };
    };
    listStandIns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandInList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    explainPermissions: {
        parameters: {
            query?: {
                /** @description The kind of principal. For programs, roles are required: those of the token. */
                as?: "person" | "service" | "agent";
                /** @description The roles to check; those of the account if omitted. Comma-separated, or repeated. */
                roles?: string[];
                /** @description The workflow. Without it, only roles for all workflows count where one is needed. */
                workflow?: string;
                /** @description The kind of approval, for the acts on approvals. */
                kind?: "approval" | "choice" | "input" | "escalation";
                /** @description The role that the approval asks; anyone if omitted. */
                role?: string;
            };
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStandIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandIn"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    putStandIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "to": "bob",
                 *       "from": "2027-07-01T00:00:00Z",
                 *       "until": "2027-07-22T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["StandInChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandIn"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeStandIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StandIn"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    suggestPlan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "intent": "Fetch the web page, then write a report about it"
                 *     }
                 */
                "application/json": components["schemas"]["Intent"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanSuggestion"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    savePolicy: {
        parameters: {
            query?: {
                /** @description Save it as a draft only. */
                draft?: boolean;
                /** @description The reason to publish a policy that would have approved what people rejected. */
                accept_risk?: string;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy": "default",
                 *       "rules": [
                 *         {
                 *           "name": "Refunds",
                 *           "priority": 1,
                 *           "trigger": {
                 *             "operation_type": [
                 *               "refund"
                 *             ]
                 *           },
                 *           "action": {
                 *             "role": "finance"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    backtestPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy": {
                 *         "policy": "default",
                 *         "rules": []
                 *       },
                 *       "since": "30d"
                 *     }
                 */
                "application/json": components["schemas"]["BacktestRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backtest"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    stopAutoApproval: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "on": true,
                 *       "reason": "odd refunds since this morning"
                 *     }
                 */
                "application/json": components["schemas"]["EmergencyStop"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stop"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    publishPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 2
                 *     }
                 */
                "application/json": components["schemas"]["PolicyPublishing"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSamples: {
        parameters: {
            query?: {
                /** @description How far back: a duration such as 30d, or a time. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Samples"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    reviewSample: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agree": true
                 *     }
                 */
                "application/json": components["schemas"]["SampleReview"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Review"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSuggestions: {
        parameters: {
            query?: {
                /** @description How far back: a duration such as 30d, or a time. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuggestionList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    adoptSuggestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "since": "30d"
                 *     }
                 */
                "application/json": components["schemas"]["Adoption"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    testPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": {
                 *         "operation": "refund",
                 *         "risk": "high",
                 *         "data": {
                 *           "amount": 1200
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PolicyTest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verdict"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    validatePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy": "default",
                 *       "rules": []
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPolicyVersions: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPolicyVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The number of the version. */
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    diffPolicyVersions: {
        parameters: {
            query?: {
                /** @description The other version (default: the one in force). */
                to?: number;
            };
            header?: never;
            path: {
                /** @description The number of the version. */
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diff"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPushKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushKey"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveRole: {
        parameters: {
            query?: {
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
                /** @description Put a withdrawn role in force again although it has holders. */
                restore?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "finance",
                 *       "description": "Decides about money.",
                 *       "permissions": [
                 *         "view",
                 *         "decide"
                 *       ],
                 *       "workflows": [
                 *         "refund"
                 *       ]
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    withdrawRole: {
        parameters: {
            query?: {
                /** @description Withdraw it although it is needed. The audit log names what needed it. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Only runs with this status; repeatable. Comma-separated, or repeated. */
                status?: ("running" | "waiting" | "paused" | "completed" | "failed" | "cancelled" | "limit_reached")[];
                /** @description Only runs of this workflow. */
                workflow?: string;
                /** @description Only runs that this person started. */
                owner?: string;
                /** @description Only sub-runs of this run. */
                parent?: string;
                /** @description Only runs with all these words, or words that begin with them, in subject, workflow, owner, labels, error or id. */
                q?: string;
                /** @description Only runs with this label, as name:value; if repeated, all must match. */
                label?: string[];
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunSummaryList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "workflow": "refund-email",
                 *       "input": {
                 *         "order_id": "A-5501",
                 *         "reason": "The cable is broken."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewRun"];
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelRuns: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "workflow": "refund-email",
                 *       "status": [
                 *         "waiting"
                 *       ],
                 *       "reason": "The campaign is over.",
                 *       "just_count": true
                 *     }
                 */
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelling"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRun: {
        parameters: {
            query?: {
                /** @description Return values over 64 KiB in full instead of a reference with a preview. */
                full?: boolean;
            };
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    commandRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "message",
                 *       "text": "The customer called: it is urgent."
                 *     }
                 */
                "application/json": components["schemas"]["Command"];
            };
        };
        responses: {
            /** @description Accepted, and durable. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    zipDeliverables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRunEvents: {
        parameters: {
            query?: {
                /** @description Only events after this sequence number. */
                after?: number;
                /** @description Return values over 64 KiB in full instead of a reference with a preview. */
                full?: boolean;
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    forkRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "at_seq": 4,
                 *       "edits": {
                 *         "outputs": {
                 *           "order": {
                 *             "total": 12.5
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Fork"];
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    forgetRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The customer asked for it, ticket 4711."
                 *     }
                 */
                "application/json": components["schemas"]["Forgetting"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forgotten"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    proveRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "limits": {
                 *         "cost_usd": "5",
                 *         "iterations": 100
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Resume"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSnapshots: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRunState: {
        parameters: {
            query?: {
                /** @description The sequence number of the event (default: the newest). */
                at_seq?: number;
                /** @description Return values over 64 KiB in full instead of a reference with a preview. */
                full?: boolean;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStep: {
        parameters: {
            query?: {
                /** @description The sequence number of the event (default: the newest). */
                at_seq?: number;
                /** @description Return values over 64 KiB in full instead of a reference with a preview. */
                full?: boolean;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: string;
                /** @description The step. */
                step: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepDetail"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveSchedule: {
        parameters: {
            query?: {
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "schedule": "weekdays",
                 *       "cron": "0 9 * * mon-fri",
                 *       "timezone": "Europe/Berlin",
                 *       "workflow": "hello"
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    runSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    search: {
        parameters: {
            query?: {
                /** @description The search text, at most 200 bytes. Without a word, nothing is found. */
                q?: string;
                /** @description The maximum number of each kind. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInWays"];
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ann",
                 *       "password": "…"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    beginSignIn: {
        parameters: {
            query?: {
                /** @description The page of this server to return to; anything else means the first page. */
                return?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect. */
            303: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    finishSignIn: {
        parameters: {
            query?: {
                /** @description The code from the provider. */
                code?: string;
                /** @description The state sent to the provider. */
                state?: string;
                /** @description Who it is. */
                iss?: string;
                /** @description The provider's error code. */
                error?: string;
                /** @description The provider's error message, which is not shown. */
                error_description?: string;
                /** @description The address of a page about it, which is not opened. */
                error_uri?: string;
                /** @description Not used. */
                session_state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect. */
            303: {
                headers: {
                    /** @description The target of the redirect. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "everywhere": true
                 *     }
                 */
                "application/json": components["schemas"]["SignOut"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSubjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BoundNameList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    releaseSubject: {
        parameters: {
            query?: {
                /** @description Hand everything under the name to the next person who signs in with it. */
                hand_over?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BoundName"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly",
                 *       "kind": "service",
                 *       "roles": [
                 *         "starter"
                 *       ],
                 *       "expires_at": "2027-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    removeToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTools: {
        parameters: {
            query?: {
                /** @description The purpose of the tool in plain words, such as "parse XML files". Only the first 8 KiB are used. */
                q?: string;
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTriggers: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTrigger: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveTrigger: {
        parameters: {
            query?: {
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "trigger": "new-order",
                 *       "workflow": "hello",
                 *       "verify": "standard",
                 *       "secret": "${env:ORDERS_SECRET}",
                 *       "map": {
                 *         "name": "order.customer"
                 *       }
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteTrigger: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
                /** @description The delivery. */
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkflows: {
        parameters: {
            query?: {
                /** @description Only published versions, or only drafts. */
                status?: "published" | "draft";
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    validateWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "workflow": "hello",
                 *       "steps": [
                 *         {
                 *           "id": "greet",
                 *           "agent": "greeter"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveWorkflow: {
        parameters: {
            query?: {
                /** @description Publish the new version at once. */
                publish?: boolean;
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "workflow": "hello",
                 *       "steps": [
                 *         {
                 *           "id": "greet",
                 *           "agent": "greeter"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": string;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    diffWorkflowVersions: {
        parameters: {
            query?: {
                /** @description The version to compare with (default: the published one). */
                from?: number;
                /** @description The other version (default: the newest). */
                to?: number;
            };
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowDiff"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "input": {
                 *         "order_id": "A-5501",
                 *         "reason": "The cable is broken."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Preview"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowPreview"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    publishWorkflow: {
        parameters: {
            query?: {
                /** @description Publish even if published workflows or agents become invalid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description The ETag of the version in force that you saw, or its number in quotes, "0" if there was none; 412 if another one is in force. */
                "If-Match"?: components["parameters"]["IfVersionMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 2
                 *     }
                 */
                "application/json": components["schemas"]["Publishing"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkflowVersions: {
        parameters: {
            query?: {
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkflowVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
                /** @description The number of the version. */
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                    "application/yaml": string;
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWorkingCopy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag you have: if nothing changed, the response is 304 without a body. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Identifies the response; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkingCopy"];
                };
            };
            /** @description Nothing changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveWorkingCopy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "yaml": "workflow: hello\nsteps:\n  - { id: greet, agent: greeter }\n",
                 *       "base": 0,
                 *       "layout": {},
                 *       "samples": [],
                 *       "revision": 0
                 *     }
                 */
                "application/json": components["schemas"]["CopyChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedCopy"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWorkingCopy: {
        parameters: {
            query?: {
                /** @description The revision to discard; 409 version_mismatch if it was changed since. */
                revision?: number;
            };
            header?: {
                /** @description Identifies a request: the same key with the same request returns the same response, even after a restart; with another request, 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The name. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkingCopy"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWorkingCopies: {
        parameters: {
            query?: {
                /** @description Only the one of this workflow. */
                name?: string;
                /** @description The maximum number of items. */
                limit?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkingCopyList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    openSocket: {
        parameters: {
            query?: {
                /** @description Start after this number of the feed; 0 is the beginning. By default, the stream starts now. */
                after?: number;
                /** @description Only events of this run. */
                run?: string;
                /** @description Only events of these types. Comma-separated, or repeated. */
                types?: ("agent.handed_off" | "agent.message" | "approval.auto_approved" | "approval.commented" | "approval.decided" | "approval.escalated" | "approval.needed" | "approval.paused" | "approval.reminder" | "approval.resolved" | "approval.timed_out" | "call.args_changed" | "call.completed" | "call.input_needed" | "call.rebound" | "call.requested" | "call.retrying" | "call.started" | "child.ended" | "child.waiting" | "consult.answered" | "consult.read" | "consult.retrying" | "consult.started" | "definition.changed" | "deliverable.created" | "deliverable.marked" | "element.completed" | "gate.passed" | "layer.started" | "limit.granted" | "limit.raised" | "limit.warning" | "message.added" | "note.added" | "payloads.removed" | "plan.changed" | "point.passed" | "policy.changed" | "replan.answered" | "replan.requested" | "replan.settled" | "review.suggested" | "run.cancelled" | "run.cancelling" | "run.completed" | "run.failed" | "run.forked" | "run.limit_reached" | "run.paused" | "run.reopened" | "run.resumed" | "run.started" | "run.unpaused" | "run.waiting" | "snapshot.saved" | "speculation.discarded" | "speculation.returned" | "speculation.used" | "state.updated" | "step.args_changed" | "step.completed" | "step.expanded" | "step.failed" | "step.rebound" | "step.retrying" | "step.returned" | "step.revised" | "step.skipped" | "step.speculated" | "step.started" | "trigger.delivered" | "turn.completed" | "turn.retrying" | "turn.started" | "warning.raised")[];
                /** @description Return values over 64 KiB in full instead of a reference with a preview. */
                full?: boolean;
                /** @description Include progress of agents (step.progress), which has no number and is not stored. */
                progress?: boolean;
                /** @description Follow each event that ends a step by state.updated with {step, seq, state}: the run as of that event, as GET /runs/{id}/state shows it. It has no number and is not stored. Requires run. */
                state?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection is now a WebSocket. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"] | components["schemas"]["Taken"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Invalid"];
            426: components["responses"]["UpgradeRequired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            500: components["responses"]["Internal"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Invalid"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
