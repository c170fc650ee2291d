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
         * @description For administrators. What is left out stays as it is; a new account needs a password of 12 characters or more. A new password, or closing the account, signs the person out everywhere.
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
         * @description Secrets show as ***; what is sent back so keeps the secret. With Accept: application/yaml it is answered as a file.
         */
        get: operations["getAgent"];
        /**
         * Save an agent and put it in force
         * @description YAML or JSON. 201 with the new version, or 200 with the same one when nothing changed. All that is wrong is listed at once, with paths, lines and columns.
         */
        put: operations["saveAgent"];
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
         * @description acts lists what you may do with it now. The ETag may be sent as If-Match with a decision.
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
         * @description For each act: whether it is allowed, and by which role or rule, or what is missing. About others it is for administrators.
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
         * @description Applies a JSON merge patch to what is proposed and checks the result. Nothing is stored.
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
         * @description People who are known (by an account, a token of their own or because they signed in once) and roles, for those who may hand this approval over or escalate it. to is what a decision takes. Left out are you, closed accounts, those who have handed it on and a requester who may not decide. Administrators see all roles of a person, others those that this approval asks.
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
         * @description Decisions, changes, starts and refused tries. For administrators, and roles with the permission audit. Values that may be removed one day are in values; the chain holds their salted digests.
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
         * @description For spreadsheets: text that would be taken for a formula has a ' before it. To check the log, download it as audit.jsonl.
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
         * Download the whole audit log so that it can be checked elsewhere
         * @description One entry a line, oldest first; the last line is the signed head. Check it with: assent audit verify FILE.
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
         * Download a proof that one signed end of the audit log follows another
         * @description Heads are named by the entry they end at, as in N:HASH. Check it with: assent audit verify FILE --head N:HASH.
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
         * Sign the end of the audit log, and show it with the public keys
         * @description Keep head somewhere else: it reveals a log that was truncated or rewritten.
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
        /** Check that the audit log is as it was written */
        get: operations["verifyAudit"];
        put?: never;
        post?: never;
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
         * @description Of each name in a run the newest version is listed; see versions.
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
        /** Show what is known about a deliverable */
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
         * @description Always as an attachment, and never with a type that a browser would run. Range requests are fine. What is kept elsewhere is answered with 404: see its url.
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
         * @description Text of any kind, HTML and SVG included, comes as text/plain and is cut at 256 KiB, or with full at 16 MiB: then the header X-Assent-Cut is true. Masked values in it stand as •••, and X-Assent-Masked is true. PNG, JPEG, GIF and WebP pictures come as they are. Everything else is answered with 415: download it. What counts is what the bytes are, not what the agent says.
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
         * @description Also after the end of the run. Only the newest version can be marked: if there is a newer one than version says, or it does not stand as was says, the answer is 409 version_mismatch.
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
         * @description Any version's id names the deliverable. Each version has an id of its own, under which its bytes are.
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
         * Follow what happens (server-sent events)
         * @description id is the number in the feed, event the type, data the event on one line. Last-Event-ID resumes with no gap and no duplicate and wins over after. A comment comes every 15 seconds. policy.changed and definition.changed belong to no run and have no id: after a break, read what is in force again.
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
        /** List what people made of agents' work, newest first */
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
        /** Download lessons, one JSON object a line */
        get: operations["exportLessons"];
        put?: never;
        post?: never;
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
         * @description For people who signed in with one. All your sessions end, and the answer sets a cookie for a new one. Wrong old passwords count as attempts to sign in.
         */
        post: operations["changePassword"];
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
        /** List where you are signed in, the newest first */
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
        /** Sign out somewhere else */
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
         * @description Those that count now and those to come. Administrators see all, others those that concern them.
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
    "/api/v1/people/{name}/stand_in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a stand-in
         * @description For the person and for administrators. 404 if there is none, now or later.
         */
        get: operations["getStandIn"];
        /**
         * Set a stand-in for an approver who is away
         * @description People set their own, administrators anyone's. From from (left out, now) until until, a year at most, to may decide what asks name, by name or by a role of name's account. There is one stand-in at a time: this replaces an earlier one. It is not passed on: who stands in for to does not stand in for name.
         */
        put: operations["putStandIn"];
        post?: never;
        /**
         * Remove a stand-in
         * @description People set their own, administrators anyone's. It takes effect with the response.
         */
        delete: operations["removeStandIn"];
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
         * @description With its rules in the order they are asked. With Accept: application/yaml it is answered as a file.
         */
        get: operations["getPolicy"];
        /**
         * Save the policy and put it in force
         * @description YAML or JSON. 201 with the new version, or 200 with the same one when nothing changed. All that is wrong is listed at once, with paths, lines and columns. A policy that would have let through what people rejected in the last 30 days is refused, unless accept_risk says why.
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
         * @description Nothing changes. Tells what would have been asked or approved otherwise, and everything that people rejected or changed and the policy would have let through.
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
         * Switch all automatic approvals off, or back on
         * @description From the answer on no rule approves anything, in any process, also after a restart. People are asked instead.
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
        /** Put a version of the policy in force */
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
         * @description None of them would have let through what people refused or changed. Each ends by itself after 30 days or 200 uses.
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
        /** Ask a policy about one subject and see what each rule says */
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
         * @description Starts a run of the published version of a workflow, or of the version given. The answer comes when the start is durable.
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
         * @description Cancels the runs with these ids, or all that fit and have not ended, at most 1,000 at a time. With just_count nothing is done.
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
         * @description The ETag is the sequence number: with If-None-Match an unchanged run is answered with 304.
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
         * @description The answer comes when the command is durable. An id in the body, or an Idempotency-Key, makes it safe to send again.
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
         * @description The new run has the log up to and with at_seq, changed by edits. Recorded results are used again, open approvals are opened again.
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
         * @description For administrators. Permanently deletes input, outputs, arguments, reasoning, comments, messages, deliverables and files of a run that has ended, and of its sub-runs. Ids, types, times, people, statuses and the audit log stay. Forks and retries hold copies: they are named, and go with with_copies. Doing it again does no harm.
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
         * Download everything about a run so that it can be checked alone
         * @description Its events, the audit entries about it, the way from each of these to a signed head, and the public keys. The export is recorded in the audit log. Check it with: assent audit verify FILE.
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
         * Let a run go on that failed, was paused, or stopped at a limit
         * @description The same run goes on from its last good state; recorded results are used again. A run that stopped at a limit needs limits that are higher than what its agent has used; people with the permissions command and approve may set them.
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
    "/api/v1/runs/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a run as it was
         * @description Folds the log up to and with an event. No model or tool is called.
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
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search approvals, runs and workflows
         * @description Finds entries in which every word of q begins a word of what you may see of them: subject, title, workflow, step, agent, tool, people and ids. Case and accents do not matter, and everything but letters and digits separates words. Up to limit of each kind: pending approvals by urgency, runs and settled approvals from the newest back, workflows by name. Where the store is encrypted, subjects and titles are searched in the newest entries only, and partial says that there are more.
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
    "/api/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell how people sign in here */
        get: operations["getSignIn"];
        put?: never;
        /**
         * Sign in with a name and a password
         * @description The answer sets a cookie. Whether the name or the password is wrong is not told; after some failures attempts have to wait, longer each time.
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
         * Come back from the identity provider
         * @description For browsers. What goes wrong is told as a problem, or by going to /?sign_in=CODE if the client would rather have a page.
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
         * @description For administrators. A name belongs to one person permanently; label is what they are called at the provider now. Documents, delegations and stand-ins go by name.
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
         * @description For administrators. Sessions under the name end, and tokens of kind person that act under it are revoked. Others who are called like that may sign in from then on, under names of their own: what is kept under the name stays with whom it belonged to. With hand_over, the next person who signs in under the name gets it with everything under it: runs, assignments, votes. That is for one and the same person whom the provider knows under another subject now, and works for names of removed accounts, too.
         */
        delete: operations["releaseSubject"];
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
         * @description For administrators. The secret is in this answer and nowhere else: also the same Idempotency-Key does not bring it back. A token acts under its name, with its roles, as what its kind says: services and agents never decide. Only people create tokens, and only who signed in (not with a token) creates one of kind person.
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
        /** List the tools in force, by name */
        get: operations["listTools"];
        put?: never;
        post?: never;
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
         * @description Those in force, and of each the newest version that was saved after it and is still a draft.
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
         * @description With Accept: application/yaml it is answered as a file.
         */
        get: operations["getWorkflow"];
        /**
         * Save a workflow
         * @description YAML or JSON. 201 with the new version, or 200 with the same one when nothing changed. All that is wrong is listed at once, with paths, lines and columns. Without publish=true it is a draft.
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
         * See the data along each edge; nothing runs
         * @description Lets the workflow run in memory: every agent gives its sample, every person says yes.
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
         * @description Runs that have started keep the version they started with. Publishing an older version restores it.
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
    "/api/v1/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens and steer runs (WebSocket)
         * @description The same events as JSON text messages. Commands go in as {id, run, command: {type, …}} and are answered in order by {id, ok, seq} or {id, ok: false, error}. Pages of other sites are refused.
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
        /** @description A command that is durable. */
        Accepted: {
            /** @description Always true. */
            accepted: boolean;
            /**
             * Format: int64
             * @description The number of the newest event of the run.
             */
            seq: number;
        };
        /** @description What a person may do with an approval, and why. */
        Access: {
            /** @description Seeing, commenting and each act that there is. */
            acts: components["schemas"]["Finding"][];
            /** @description The id of the approval. */
            approval: string;
            /** @description Which kind. */
            kind: components["schemas"]["ActorKind"];
            /** @description The roles that it was asked with. */
            roles: string[];
            /** @description Where it stands. */
            status: components["schemas"]["ApprovalStatus"];
            /** @description Whom it is about. */
            user: string;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description A person who signs in with a password. */
        Account: {
            /**
             * Format: date-time
             * @description When an administrator last changed it.
             */
            changed_at: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description True if the person may not sign in. */
            disabled: boolean;
            /** @description The name. */
            name: string;
            /** @description The roles that are held. */
            roles: string[];
            /**
             * Format: date-time
             * @description When the person last signed in; null if never.
             */
            signed_in_at: string | null;
        };
        /** @description How an account should be. */
        AccountChange: {
            /** @description Whether the person may not sign in; left out, as it is. */
            disabled?: boolean;
            /** @description A new password of 12 characters or more; left out, as it is. */
            password?: string;
            /** @description All roles of the person; left out, as they are. */
            roles?: string[];
        };
        /** @description All accounts. */
        AccountList: {
            /** @description The items of this page. */
            items: components["schemas"]["Account"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description How often people agreed with a rule. */
        Accuracy: {
            /**
             * Format: int64
             * @description How many people agreed with.
             */
            agreed: number;
            /**
             * Format: int64
             * @description How many people have looked at.
             */
            reviewed: number;
            /** @description The rule. */
            rule: string;
            /**
             * Format: int64
             * @description How many samples there are.
             */
            samples: number;
            /** @description Agreed of reviewed; 0 if none was. */
            share: number;
        };
        /**
         * @description One thing a person may do with an approval.
         * @enum {string}
         */
        Act: "approve" | "modify" | "reject" | "choose" | "submit" | "escalate" | "request_revision" | "delegate";
        /** @description What would happen if people say yes. */
        Action: {
            /** @description The arguments of the tool call. */
            args?: Raw | null;
            /** @description The JSON Schema that changed arguments have to fit. */
            args_schema?: Raw | null;
            /** @description Binds the approval to exactly what was shown. */
            digest: string;
            /** @description The documents that would be used, with their versions. The approval is bound to them. */
            implementation?: components["schemas"]["Implementation"][];
            /** @description What policy rules see, such as send_email. */
            operation?: string;
            /** @description Whether it can be undone: yes, no or unknown; left out where nothing is about to run. */
            reversible?: string;
            /** @description The tool or operation that undoes it; none: nothing does; left out: unknown. */
            reversible_by?: string;
            /** @description The tool that would be called. */
            tool?: string;
            /** @description step, tool_call, result, run, output, limit or layer. */
            type: string;
        };
        /** @description Who did something. */
        Actor: {
            /** @description The identity provider that vouches for the actor; none if this server does. */
            issuer?: string;
            /** @description What sort of actor. */
            kind: components["schemas"]["ActorKind"];
            /** @description The name. That of a person is theirs permanently: it is never given to another person. */
            name?: string;
            /** @description Who the actor is to the issuer. Kind, issuer and subject say who it is, whatever it is called. */
            subject?: string;
        };
        /**
         * @description What sort of actor.
         * @enum {string}
         */
        ActorKind: "person" | "service" | "agent" | "policy" | "system" | "nobody";
        /** @description On which history a suggestion was made. */
        Adoption: {
            /** @description How far back: a duration such as 30d, or a time. */
            since?: string;
        };
        /** @description How it went with one agent. */
        AgentFigures: {
            /** @description The agent that did or does the work. */
            agent: string;
            /**
             * Format: int64
             * @description How often its steps failed.
             */
            failures: number;
            /** @description Approvals about its work, by how they ended. */
            settled: {
                [key: string]: number;
            };
        };
        /** @description The pending approvals that a row of a grouped list stands for. */
        Alike: {
            /**
             * Format: int64
             * @description How many approvals the row stands for.
             */
            count: number;
            /** @description Their ids, in the order of the list; the first is the row's own. */
            ids: string[];
        };
        /** @description An approval, pending or settled. */
        Approval: {
            /** @description What would happen if people say yes. */
            action: components["schemas"]["Action"];
            /** @description What you may do with it now. */
            acts: components["schemas"]["Act"][];
            /** @description The agent that did or does the work. */
            agent: string;
            /** @description In a list with group=alike: the approvals that this row stands for. Left out where it stands for itself. */
            alike?: components["schemas"]["Alike"];
            /** @description People who are asked by name. */
            assignees: string[];
            /** @description Those whom it asks by name and who are away now, with who decides for them. */
            away?: components["schemas"]["Away"][];
            /** @description The model's id of the tool call. */
            call?: string;
            /** @description What is not as it was when this was approved before; absent if nothing is. */
            changed?: components["schemas"]["VersionChange"][];
            /** @description What people remarked, oldest first. */
            comments: components["schemas"]["Comment"][];
            /** @description How sure the agent is, from 0 to 1. */
            confidence: number | null;
            /** @description Whose confidence it is: the least sure of the results that the action builds on. */
            confidence_source: components["schemas"]["ConfidenceSource"] | null;
            /**
             * Format: date-time
             * @description When on_timeout happens; null without a timeout.
             */
            deadline_at: string | null;
            /** @description What people have said so far, oldest first. */
            decisions: components["schemas"]["RecordedDecision"][];
            /** @description What is answered at the deadline where on_timeout is default: the id of an option, the data, or changes to what is proposed. */
            default?: Raw | null;
            /** @description More about it, in words. */
            description: string;
            /**
             * Format: int64
             * @description How many drafts of deliverables the run has: who approves, approves them with the proposal. Left out if there are none.
             */
            drafts?: number;
            /** @description Who may answer as well since it was escalated. */
            escalated_to?: string[];
            /** @description What it would cost, as a decimal; null if unknown. */
            estimated_cost_usd: string | null;
            /** @description Whom you would decide it for: you stand in for them, and it does not ask you yourself. */
            for?: string;
            /** @description The gate that asks. */
            gate: string;
            /** @description The id. */
            id: string;
            /** @description What happens if people say no. */
            if_denied: string;
            /**
             * Format: int64
             * @description Which element of a map, from 0.
             */
            index?: number;
            /** @description The JSON Schema that submitted data has to fit; null if none. */
            input_schema: Raw | null;
            /** @description Which kind. */
            kind: components["schemas"]["ApprovalKind"];
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What a rejection does to the run. */
            on_reject?: components["schemas"]["OnReject"];
            /** @description What happens at the deadline. */
            on_timeout?: components["schemas"]["TimeoutAct"];
            /** @description The answers to a choice. */
            options: components["schemas"]["Option"][];
            /** @description What was proposed first, if people changed it. */
            original?: Raw | null;
            /** @description How it ended; null while it is pending. */
            outcome: components["schemas"]["Outcome"] | null;
            /**
             * Format: date-time
             * @description When the run is paused for want of an answer; null if never.
             */
            pause_at: string | null;
            /** @description What the answer is about. */
            proposed: Raw | null;
            /** @description How many are needed, and how many have agreed. */
            quorum: components["schemas"]["Quorum"];
            /** @description Why people are asked. */
            reason: components["schemas"]["ApprovalReason"];
            /** @description What the agent thought. */
            reasoning: string;
            /**
             * Format: date-time
             * @description When people are reminded next; null if never.
             */
            remind_at: string | null;
            /**
             * Format: date-time
             * @description When it was opened.
             */
            requested_at: string;
            /** @description Who started the run. */
            requester: string;
            /** @description How risky it is. */
            risk: components["schemas"]["Risk"];
            /** @description The role whose holders are asked. */
            role: string;
            /** @description The rule of the policy that asked; null if none did. */
            rule: components["schemas"]["RuleName"] | null;
            /** @description The run. */
            run: string;
            /** @description What the gate shows to help with the decision. */
            show: Raw | null;
            /** @description What the run has done so far, in words. */
            so_far: string;
            /** @description Where it stands. */
            status: components["schemas"]["ApprovalStatus"];
            /** @description The step. */
            step: string;
            /** @description What the run is about, in a line. */
            subject?: string;
            /** @description True if it belongs to a test run: nothing with side effects is called. */
            test_mode?: boolean;
            /** @description What it is about, in a line. */
            title: string;
            /**
             * Format: int64
             * @description Rises with every answer; decisions say which one they are about.
             */
            version: number;
            /** @description Where votes are counted by role and yours could take the place of several: those roles, the one that it takes by default first. A decision names one as role. */
            vote_as?: string[];
            /** @description The workflow. */
            workflow: string;
        };
        /**
         * @description What sort of answer is wanted.
         * @enum {string}
         */
        ApprovalKind: "approval" | "choice" | "input" | "escalation";
        /** @description A part of the inbox. */
        ApprovalList: {
            /** @description The items of this page. */
            items: components["schemas"]["Approval"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /**
         * @description Why people are asked.
         * @enum {string}
         */
        ApprovalReason: "gate" | "rule" | "low_confidence" | "call" | "milestone" | "limit" | "loop" | "review_suggested";
        /**
         * @description Where an approval stands.
         * @enum {string}
         */
        ApprovalStatus: "pending" | "approved" | "modified" | "rejected" | "chosen" | "submitted" | "revision_requested" | "timed_out" | "cancelled" | "auto_approved";
        /** @description Whether the audit log is as it was written. */
        AuditCheck: {
            /**
             * Format: int64
             * @description How many entries were looked at.
             */
            entries: number;
            /**
             * Format: int64
             * @description How many events of runs were compared with the entries that bind them.
             */
            events: number;
            /**
             * Format: int64
             * @description The newest events, which no entry binds yet. Told by a check up to the end.
             */
            events_unbound: number;
            /**
             * Format: int64
             * @description The first entry that is not as it was; null if none.
             */
            first_bad: number | null;
            /** @description The hash of the entry next. */
            head: string;
            /** @description The log says that it was signed, and no signed head is left. */
            heads_missing: boolean;
            /**
             * Format: int64
             * @description Values that were removed; the chain holds their digests.
             */
            missing: number;
            /**
             * Format: int64
             * @description The last entry that was looked at and is good; go on behind it.
             */
            next: number;
            /** @description True if nothing is wrong. */
            ok: boolean;
            /**
             * Format: int64
             * @description Up to which entry a good signature reaches; 0 if none was met.
             */
            signed: number;
            /**
             * Format: int64
             * @description How many entries the log has.
             */
            total: number;
            /** @description What the check does not vouch for, such as a log without signed heads. Told by a check up to the end. */
            warnings: string[];
            /** @description What is wrong with it. */
            why: string;
        };
        /** @description The signed head of the audit log, to be kept elsewhere. */
        AuditEnd: {
            /** @description N:HASH of the newest entry. Keep it elsewhere, to notice a log that was cut short. */
            head: string;
            /** @description All keys that heads were signed with, oldest first. */
            keys: components["schemas"]["AuditKey"][];
            /** @description The same, signed. */
            signed: components["schemas"]["AuditHead"];
        };
        /** @description Who did what, in the chain of all that was done. */
        AuditEntry: {
            /** @description What was done, such as approval.decided. */
            action: string;
            /** @description Who did it. */
            actor: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description More about it, as JSON. */
            detail: Raw | null;
            /** @description Its hash: SHA-256 of prev and its canonical form. */
            hash: string;
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
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
            /** @description Salted digests of values that may be removed one day, by name. */
            sealed?: {
                [key: string]: string;
            };
            /** @description What it was done to: an id, or KIND/NAME. */
            target: string;
            /** @description Those of them that are still kept here. */
            values?: {
                [key: string]: unknown;
            };
        };
        /** @description A part of the audit log. */
        AuditEntryList: {
            /** @description The items of this page. */
            items: components["schemas"]["AuditEntry"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description What the audit log was at an entry, signed. */
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
            /** @description The signature, in base 64. */
            sig: string;
        };
        /** @description A key that heads are signed with. */
        AuditKey: {
            /** @description The id. */
            id: string;
            /** @description True for the key that this server signs with. */
            in_use: boolean;
            /** @description Ties it to the key that it replaced; missing for the first one. */
            link?: components["schemas"]["AuditLink"];
            /** @description The public key: ed25519:… */
            public: string;
            /**
             * Format: date-time
             * @description When it was first used.
             */
            since: string;
        };
        /** @description Ties two keys together that followed one another: both signed both public keys and the time. */
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
         * @description Whether it was done or refused.
         * @enum {string}
         */
        AuditOutcome: "done" | "refused";
        /** @description An approver who is away. */
        Away: {
            /** @description Who is away. */
            name: string;
            /** @description Who decides for them. */
            to: string;
            /**
             * Format: date-time
             * @description Until when; that moment is not part of it.
             */
            until: string;
        };
        /** @description What a policy would have done with what was recorded. */
        Backtest: {
            /**
             * Format: int64
             * @description How many people were asked about, and would not have been.
             */
            asked_to_auto: number;
            /**
             * Format: int64
             * @description How many went on by themselves, and people would have been asked.
             */
            auto_to_asked: number;
            /** @description The same by rule of the new policy. */
            by_rule: components["schemas"]["RuleOutcome"][];
            /**
             * Format: int64
             * @description How many would not have happened at all.
             */
            denied: number;
            /** @description Of people's work, from the time between their decisions; less than 0 if it makes work. */
            minutes_saved: number;
            /** @description Hash of the policy that was tried. */
            policy: string;
            /**
             * Format: date-time
             * @description From when on.
             */
            since: string;
            /**
             * Format: int64
             * @description How many were looked at.
             */
            subjects: number;
            /**
             * Format: date-time
             * @description Until when.
             */
            until: string;
            /** @description What people changed, and the policy would have let through as it was. */
            would_pass_modified: components["schemas"]["Passed"][];
            /** @description What people rejected, and the policy would have let through. */
            would_pass_rejected: components["schemas"]["Passed"][];
        };
        /** @description Which policy to try, on which time. */
        BacktestRequest: {
            /** @description The policy as an object, or as a text in YAML. */
            policy: Raw | null;
            /** @description How far back: a duration such as 30d, or a time. */
            since?: string;
            /** @description Until when: a duration that counts back from now, or a time. */
            until?: string;
        };
        /** @description Several approvals to be decided alike. */
        Batch: {
            /** @description What to do with each. */
            act: components["schemas"]["Act"];
            /** @description What people said about it. */
            comment?: string;
            /** @description The ids of the approvals, 1 to 1,000. */
            ids: string[];
            /** @description The option that was chosen. */
            option?: string;
            /** @description The versions you saw, by id; those not given mean the current ones. */
            versions?: {
                [key: string]: number;
            };
        };
        /** @description What became of one of several approvals. */
        BatchResult: {
            /** @description Why it was refused. */
            error?: components["schemas"]["Problem"];
            /** @description The id. */
            id: string;
            /** @description Whether it was decided. */
            ok: boolean;
            /** @description Where the approval stands now. */
            status?: components["schemas"]["ApprovalStatus"];
        };
        /** @description What became of each of several approvals. */
        BatchResults: {
            /** @description One for each id, in the order of the request. */
            results: components["schemas"]["BatchResult"][];
        };
        /** @description Whom at the identity provider a name belongs to. */
        BoundName: {
            /**
             * Format: date-time
             * @description When they first came under this name.
             */
            bound_at: string;
            /** @description The identity provider. */
            issuer: string;
            /** @description What they are called there now. */
            label: string;
            /** @description The name. */
            name: string;
            /** @description Who that is there, whatever they are called. */
            subject: string;
        };
        /** @description All names from identity providers. */
        BoundNameList: {
            /** @description The items of this page. */
            items: components["schemas"]["BoundName"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description A model that is overloaded or out of order. */
        Busy: {
            /**
             * Format: date-time
             * @description Since when the model has been overloaded or out of order.
             */
            since: string;
            /**
             * Format: int64
             * @description How often it was asked in the meantime.
             */
            tries: number;
        };
        /** @description One tool call of an agent. */
        Call: {
            /** @description The arguments. */
            args: Raw | null;
            /**
             * Format: date-time
             * @description When the model asked for it.
             */
            asked_at: string;
            /** @description What it does, in plain words. */
            does?: string;
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             */
            ended_at: string | null;
            /** @description Why it failed; null if it did not. */
            error?: string;
            /** @description The id. */
            id: string;
            /**
             * Format: int64
             * @description Which element of a map, from 0.
             */
            index?: number;
            /** @description What the tool wrote. */
            logs?: string;
            /** @description What it gave; null until then. */
            output?: Raw | null;
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string | null;
            /** @description asked, running, done, failed or denied. */
            status: string;
            /** @description The tool that would be called. */
            tool: string;
            /**
             * Format: int64
             * @description Which attempt, from 1.
             */
            try?: number;
        };
        /** @description A run that could not be cancelled. */
        CancelFailure: {
            /** @description Why it failed; null if it did not. */
            error: string;
            /** @description The id. */
            id: string;
        };
        /** @description Which runs to cancel. */
        CancelRequest: {
            /** @description These runs, and no others. */
            ids?: string[];
            /** @description Tell what it would do, and do nothing. */
            just_count?: boolean;
            /** @description Names and values to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Only runs that this person started. */
            owner?: string;
            /** @description Why, in words. */
            reason?: string;
            /** @description Only runs that stand so; none means all that have not ended. */
            status?: components["schemas"]["RunStatus"][];
            /** @description The workflow. */
            workflow?: string;
        };
        /** @description Why a run ends as soon as the steps at work have. */
        Cancellation: {
            /** @description Why, if a reason was given. */
            reason?: string;
        };
        /** @description What was cancelled, or would be. */
        Cancelling: {
            /**
             * Format: int64
             * @description Pending approvals that close with them.
             */
            approvals: number;
            /** @description How many stood how. */
            by_status: {
                [key: string]: number;
            };
            /** @description How many of which workflow. */
            by_workflow: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description How many were cancelled.
             */
            cancelled: number;
            /** @description Those that could not be. */
            failed: components["schemas"]["CancelFailure"][];
            /** @description True if there are more: ask again. */
            more: boolean;
            /**
             * Format: int64
             * @description How many fit.
             */
            runs: number;
        };
        /** @description Something that people decided. */
        Case: {
            /** @description Id of the approval. */
            approval: string;
            /** @description What people said about it. */
            comment?: string;
            /** @description Who decided. */
            decided_by: string;
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What the answer is about. */
            proposed: Raw | null;
            /**
             * Format: date-time
             * @description When it was asked.
             */
            requested_at: string;
            /** @description Where it stands. */
            status: components["schemas"]["ApprovalStatus"];
            /** @description What it is about, in a line. */
            title: string;
        };
        /** @description One difference between two values. */
        Change: {
            /** @description What was there. */
            from?: Raw | null;
            /** @description add, remove or replace. */
            op: string;
            /** @description Where, as a JSON pointer. */
            path: string;
            /** @description What would be there. */
            to?: Raw | null;
        };
        /** @description What changes would do to what is proposed. */
        ChangePreview: {
            /** @description What would change. */
            diff: components["schemas"]["Change"][];
            /** @description All that is wrong, with paths. */
            errors: components["schemas"]["Fault"][];
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What would be proposed. */
            proposed: Raw | null;
            /** @description Whether that fits the schema. */
            valid: boolean;
        };
        /** @description The changes to preview. */
        Changes: {
            /** @description A JSON merge patch (RFC 7396) on what is proposed. */
            changes: Raw | null;
        };
        /** @description Why a sub-run failed. */
        ChildFailure: {
            /** @description Why it failed; null if it did not. */
            error?: components["schemas"]["Failure"];
            /** @description The run. */
            run: string;
        };
        /** @description What a run is told to do; type says which. */
        Command: components["schemas"]["Command_cancel"] | components["schemas"]["Command_abort"] | components["schemas"]["Command_pause"] | components["schemas"]["Command_resume"] | components["schemas"]["Command_inject_steps"] | components["schemas"]["Command_replan"] | components["schemas"]["Command_skip_step"] | components["schemas"]["Command_modify_args"] | components["schemas"]["Command_message"] | components["schemas"]["Command_consult"] | components["schemas"]["Command_snapshot"];
        /** @description End at once. */
        Command_abort: {
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /** @description Why, in words. */
            reason?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "abort";
        };
        /** @description Stop starting things, wait for what is running, then end. */
        Command_cancel: {
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /** @description Why, in words. */
            reason?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "cancel";
        };
        /** @description Ask the agent in the loop now. */
        Command_consult: {
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "consult";
        };
        /** @description Add steps to the running plan. */
        Command_inject_steps: {
            /** @description The same id is the same command: it is safe to send again. */
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
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /** @description What to say. */
            text: string;
            /** @description A step or an agent; left out, all that are working. */
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
            /** @description A JSON merge patch (RFC 7396) on what is proposed. */
            changes: Raw | null;
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /** @description The step. */
            step?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "modify_args";
        };
        /** @description Stop starting things until the run is resumed. */
        Command_pause: {
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /** @description Why, in words. */
            reason?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "pause";
        };
        /** @description Ask for steps that meet a new requirement. */
        Command_replan: {
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /** @description What the run has to achieve as well. */
            requirement: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "replan";
        };
        /** @description Go on after a pause, or from the last good state after a failure, or after a limit with a higher one. */
        Command_resume: {
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /** @description The new limits of the agent that stopped the run, not what is added to the old ones. */
            limits?: components["schemas"]["LimitAmount"];
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "resume";
        };
        /** @description Skip a step, or all steps of a layer, that have not started. */
        Command_skip_step: {
            /** @description The same id is the same command: it is safe to send again. */
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
        /** @description Mark a place to resume or fork from. */
        Command_snapshot: {
            /** @description The same id is the same command: it is safe to send again. */
            id?: string;
            /**
             * @description What to do. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "snapshot";
        };
        /** @description A comment, which decides nothing. */
        Comment: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description The remark. */
            text: string;
        };
        /** @description Whose confidence an approval carries. */
        ConfidenceSource: {
            /** @description The agent that gave it. */
            agent?: string;
            /** @description How sure it is, from 0 to 1; null: it did not say. */
            confidence: number | null;
            /** @description The step, or input: given to the run rather than proposed. */
            step: string;
        };
        /** @description What happened on one day of UTC. */
        DayFigures: {
            /** @description US dollars as a decimal. */
            cost_usd: string;
            /** @description The day, such as 2026-03-01. */
            day: string;
            /** @description Runs that started, by how they stand. */
            runs: {
                [key: string]: number;
            };
            /** @description Approvals that were settled, by how they ended. */
            settled: {
                [key: string]: number;
            };
        };
        /** @description What was settled in the span. */
        DecidedFigures: {
            /** @description By rules, of what rules or people decided; 0 to 1. */
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
            /** @description By how they ended. */
            by_status: {
                [key: string]: number;
            };
            /** @description Half of what people decided waited no longer, in seconds. */
            median_s: number;
            /** @description Nine tenths waited no longer, in seconds. */
            p90_s: number;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description What people decided, by how long it waited. */
            waits: components["schemas"]["WaitFigures"][];
        };
        /** @description A decision on an approval. */
        Decision: {
            /** @description What to do. */
            act: components["schemas"]["Act"];
            /** @description A JSON merge patch (RFC 7396) on what is proposed. */
            changes?: Raw | null;
            /** @description Why. reject and request_revision need one. */
            comment?: string;
            /** @description For submit: what the gate asks for. */
            data?: Raw | null;
            /** @description For choose: the value of the option. */
            option?: string;
            /** @description Where votes are counted by role: the role whose place your vote takes. Left out, an open place of a role that you hold. */
            role?: string;
            /** @description A person such as bob, or a role such as role:manager. */
            to?: string;
            /**
             * Format: int64
             * @description The version of the approval that you saw. Required, unless If-Match is sent.
             */
            version: number;
        };
        /** @description A result for people. */
        Deliverable: {
            /** @description The agent that did or does the work. */
            agent: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description More about it, in words. */
            description: string;
            /** @description The id. */
            id: string;
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What its bytes are. What the agent said is dropped where the bytes show something else. */
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
        /** @description A part of the list of deliverables. */
        DeliverableList: {
            /** @description The items of this page. */
            items: components["schemas"]["Deliverable"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description The difference between two versions of a document. */
        Diff: {
            /** @description Every difference, with its path. */
            diff: components["schemas"]["Change"][];
            /** @description The one version. */
            from: components["schemas"]["Version"];
            /** @description A person such as bob, or a role such as role:manager. */
            to: components["schemas"]["Version"];
        };
        /** @description A version of a document with what people wrote. Secrets show as ***. */
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
            /** @description The document as a YAML file. */
            yaml: string;
        };
        /** @description A part of a list of documents. */
        DocumentList: {
            /** @description The items of this page. */
            items: components["schemas"]["Document"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /**
         * @description Whether a version is in force.
         * @enum {string}
         */
        DocumentStatus: "published" | "draft";
        /** @description Changes to the past of a fork. */
        Edits: {
            /** @description Fields of the context to replace, each as a whole: null is a value and removes nothing. */
            context?: Raw | null;
            /** @description The input instead of the one that was. */
            input?: Raw | null;
            /** @description Outputs of steps instead of those that were, by step. */
            outputs?: {
                [key: string]: unknown;
            };
        };
        /** @description How far a map is. */
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
             * @description How many there are in all.
             */
            total: number;
        };
        /** @description Whether automatic approvals are to be stopped. */
        EmergencyStop: {
            /** @description true stops all automatic approvals, false lets rules approve again. */
            on: boolean;
            /** @description Why, in words. */
            reason?: string;
        };
        /** @description Why something failed. */
        Error: {
            /** @description The agent that did or does the work. */
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
            /** @description What went wrong, for machines. */
            code: string;
            /**
             * Format: int64
             * @description Which element of a map, from 0.
             */
            index?: number;
            /** @description What it gets. */
            input?: Raw | null;
            /** @description What is wrong, in words. */
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
             * @description Which attempt, from 1.
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
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
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
        /** @description A part of a log. */
        EventList: {
            /** @description The items of this page. */
            items: components["schemas"]["Event"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description Which approvals are stale. */
        Expiry: {
            /** @description The agent that did or does the work. */
            agent?: string;
            /** @description Why; it is recorded with each. */
            comment?: string;
            /** @description Which kind. */
            kind?: components["schemas"]["ApprovalKind"];
            /**
             * @description How long they have been open, such as 72h. Required.
             * @example 72h
             */
            older_than: string;
            /** @description Only of this level of risk. */
            risk?: components["schemas"]["RiskLevel"];
            /** @description The role whose holders are asked. */
            role?: string;
            /** @description The run. */
            run?: string;
            /** @description The tool that would be called. */
            tool?: string;
            /** @description The workflow. */
            workflow?: string;
        };
        /** @description Why something failed, as it was recorded. */
        Failure: {
            /** @description The agent that did or does the work. */
            agent?: string;
            /** @description What the other side answered. */
            body?: string;
            /** @description Whether the other side is overloaded or out of order. */
            busy?: boolean;
            /** @description The sub-run that failed, with its own error. */
            child?: components["schemas"]["ChildFailure"];
            /** @description What went wrong, for machines. */
            code?: string;
            /**
             * Format: int64
             * @description Which element of a map, from 0.
             */
            index?: number;
            /** @description What it gets. */
            input?: Raw | null;
            /** @description What is wrong, in words. */
            message: string;
            /**
             * @description How long to wait before the next attempt.
             * @example 72h
             */
            retry_after?: string;
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
            /** @description Whether trying again may help. */
            transient?: boolean;
            /**
             * Format: int64
             * @description Which attempt, from 1.
             */
            try?: number;
            /** @description What it cost. */
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
        /** @description One thing wrong at one place. */
        Fault: {
            /**
             * Format: int64
             * @description Where in the line, from 1, if source text is known.
             */
            column?: number;
            /**
             * Format: int64
             * @description The line, from 1, if source text is known.
             */
            line?: number;
            /** @description What is wrong, in words. */
            message: string;
            /** @description Where, as a dotted path or JSON pointer. */
            path: string;
            /** @description True if it is worth telling but refuses nothing. */
            warning?: boolean;
        };
        /** @description Whether an act is allowed, and why. */
        Finding: {
            /** @description What to do with it: see, comment, or an act. */
            act: string;
            /** @description True if it is possible now. */
            allowed: boolean;
            /** @description By which role or rule, or what is missing. */
            because: string;
            /** @description The roles that count for it. */
            roles: string[];
        };
        /** @description A wish to remove what people and agents sent to a run. */
        Forgetting: {
            /** @description Why. It stays on record, so leave out what is to go. */
            reason: string;
            /** @description Remove it from forks and retries of the run, too. */
            with_copies?: boolean;
        };
        /** @description What was removed, and what was not. */
        Forgotten: {
            /** @description Runs that may still hold some of it: forks, retries, and the run that this one worked for. */
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
            /** @description All whose payloads are deleted: this run, its sub-runs, and copies if they were meant. */
            runs: string[];
        };
        /** @description From where a new run should go on. */
        Fork: {
            /**
             * Format: int64
             * @description The last event that the new run takes over.
             */
            at_seq: number;
            /** @description What to change about the past. */
            edits?: components["schemas"]["Edits"];
        };
        /** @description Something that a search found. */
        Found: {
            /**
             * Format: date-time
             * @description When it was requested or started.
             */
            at?: string;
            /** @description The id; of a workflow, its name. */
            id: string;
            /** @description approval, run or workflow. */
            kind: string;
            /** @description How the approval or the run stands. */
            status?: string;
            /** @description What the run is about; of a workflow, its description. */
            subject?: string;
            /** @description What is asked, or what the run is about; of a workflow, its name. */
            title: string;
            /** @description The workflow it belongs to. */
            workflow: string;
        };
        /** @description What a search found, by kind. */
        FoundList: {
            /** @description Pending approvals, runs, settled approvals, workflows. */
            items: components["schemas"]["Found"][];
            /** @description There are older entries that were not looked at. */
            partial: boolean;
        };
        /** @description How the server is. */
        Health: {
            /** @description ok or ready. */
            status: string;
            /** @description Of the program. */
            version: string;
        };
        /** @description A document that would be used, in the version that was shown. */
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
            /** @description What waits now. */
            pending: components["schemas"]["PendingFigures"];
            /** @description How often people agreed with rules afterwards. */
            rules: components["schemas"]["Accuracy"][];
            /** @description Runs that started in the span. */
            runs: components["schemas"]["RunFigures"];
            /**
             * Format: date-time
             * @description From when on.
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
        /** @description The difference between what an agent proposed and what a person made of it. */
        Lesson: {
            /** @description modify, reject or request_revision. */
            act: components["schemas"]["Act"];
            /** @description The agent that did or does the work. */
            agent: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description What the person made of it; null if it was refused. */
            changed: Raw | null;
            /** @description What people said about it. */
            comment: string;
            /** @description What the person changed. */
            diff: components["schemas"]["Change"][];
            /** @description The id of the approval. */
            id: string;
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What it was to do, as policies see it. */
            operation: string;
            /** @description What the answer is about. */
            proposed: Raw | null;
            /** @description The run. */
            run: string;
            /** @description What was asked. */
            scenario: string;
            /** @description The step. */
            step: string;
            /** @description The tool that would be called. */
            tool?: string;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description A part of the lessons. */
        LessonList: {
            /** @description The items of this page. */
            items: components["schemas"]["Lesson"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description Limits of an agent; those that are left out stay as they are. */
        LimitAmount: {
            /**
             * @description US dollars as a decimal.
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
        /** @description How a deliverable stands. */
        Mark: {
            /** @description How it stands from now on: draft, final or archived. */
            status: string;
            /**
             * Format: int64
             * @description The newest version that you saw. Required.
             */
            version: number;
            /** @description How it stood when you saw it; left out, that does not matter. */
            was?: string;
        };
        /** @description The signed-in user. */
        Me: {
            /**
             * Format: date-time
             * @description When you have to sign in again, or your token ends; null if never.
             */
            expires_at: string | null;
            /** @description Which kind. */
            kind: components["schemas"]["ActorKind"];
            /** @description What the identity provider calls you now; none if that is your name. */
            label?: string;
            /** @description True if sign-in is not enabled. */
            local: boolean;
            /** @description The name. */
            name: string;
            /** @description What you may do somewhere; the words that stand for several are spelled out. */
            permissions: string[];
            /** @description The roles that are held. */
            roles: string[];
            /** @description How the server knows who you are. */
            way: components["schemas"]["SignInWay"];
        };
        /** @description One entry of a run's thread. */
        Message: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who said it. */
            from: components["schemas"]["Actor"];
            /** @description What was said. */
            text: string;
            /** @description The step or agent it is for; empty: all at work. */
            to?: string;
        };
        /** @description How much of a limit an agent has used. */
        Meter: {
            /** @description Which limit. */
            limit: string;
            /** @description The limit, such as 4h0m0s, 5 or 500. */
            max: string;
            /**
             * Format: int64
             * @description How much of it is used, up to 100.
             */
            percent: number;
            /**
             * Format: date-time
             * @description Of a duration that is still growing: when it began to count, so that used is the time since then.
             */
            since?: string;
            /** @description What is used, such as 1h20m0s, 0.75 or 12. */
            used: string;
        };
        /** @description A run to start. */
        NewRun: {
            /** @description The input; left out, an empty object. */
            input?: Raw | null;
            /** @description Names and values to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Do not call what declares an operation or a risk; use samples. */
            test_mode?: boolean;
            /**
             * Format: int64
             * @description Left out, the published one.
             */
            version?: number;
            /** @description The name of the workflow. */
            workflow: string;
        };
        /** @description A token to be made. */
        NewToken: {
            /**
             * Format: date-time
             * @description When it ends; left out, never.
             */
            expires_at?: string;
            /** @description What it acts as. Agents never decide. */
            kind: components["schemas"]["TokenKind"];
            /** @description The name. */
            name: string;
            /** @description What it may do. */
            roles?: string[];
        };
        /** @description An empty object; it may be left out. */
        Nothing: Record<string, never>;
        /**
         * @description What a rejection does to the run.
         * @enum {string}
         */
        OnReject: "fail" | "cancel" | "revise" | "tell";
        /** @description One answer to a choice. */
        Option: {
            /** @description More about it, in words. */
            description?: string;
            /** @description What people read. */
            label?: string;
            /** @description What is recorded. */
            value: string;
        };
        /** @description How an approval ended. */
        Outcome: {
            /** @description What is done now. */
            act?: components["schemas"]["Act"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The person whose answer settled it. */
            by?: string;
            /** @description True if the deadline cancelled the run. */
            cancel?: boolean;
            /** @description What people said about it. */
            comment?: string;
            /** @description What was submitted, for a gate that wants input. */
            data?: Raw | null;
            /** @description The option that was chosen. */
            option?: string;
            /** @description What goes on, if people changed it. */
            proposed?: Raw | null;
            /** @description Where it stands. */
            status: components["schemas"]["ApprovalStatus"];
        };
        /** @description What became of one step or gate. */
        PartDiff: {
            /** @description Every difference, with its path inside the step or gate. Steps that leave `needs` out need the step above them, and are compared so. */
            changes: components["schemas"]["Change"][];
            /** @description Of the step or gate. */
            id: string;
            /** @description add, remove or replace. */
            op: string;
        };
        /** @description Something that a policy would have let through. */
        Passed: {
            /** @description Id of the approval. */
            approval: string;
            /** @description What people said about it. */
            comment?: string;
            /** @description Who decided. */
            decided_by: string;
            /** @description What people made of it. */
            diff?: components["schemas"]["Change"][];
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What it was to do, as policies see it. */
            operation?: string;
            /** @description What the answer is about. */
            proposed: Raw | null;
            /**
             * Format: date-time
             * @description When it was asked.
             */
            requested_at: string;
            /** @description The rule that would have let it through; empty: no rule would still ask. */
            rule: string;
            /** @description The run. */
            run: string;
            /** @description The step. */
            step: string;
            /** @description What it is about, in a line. */
            title: string;
            /** @description The tool that would be called. */
            tool?: string;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description The password you have and the one you want. */
        PasswordChange: {
            /** @description Another one, of 12 characters or more. */
            new: string;
            /** @description The password you signed in with. */
            old: string;
        };
        /** @description Why a run is paused. */
        Pause: {
            /** @description The approval whose silence paused the run. */
            approval?: string;
            /** @description Why, in words. */
            reason?: string;
        };
        /** @description Pending approvals. */
        PendingFigures: {
            /** @description By risk; what has none is not counted here. */
            by_risk: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description Since when the oldest waits.
             */
            oldest_at: string | null;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
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
            /** @description Whether automatic approvals are switched off. */
            emergency_stop: components["schemas"]["Stop"];
            /** @description What was wrong when files were last loaded: what is in force may be older than they are. */
            file_problems: components["schemas"]["ValidationFault"][];
            /** @description As approvals name the policy: pol_… */
            hash: string;
            /** @description The id. */
            id: string;
            /** @description The name. */
            name: string;
            /** @description True for the version in force. */
            published: boolean;
            /** @description The rules in the order they are asked. */
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
            /** @description The document as a YAML file. */
            yaml: string;
        };
        /** @description Which version of the policy to put in force. */
        PolicyPublishing: {
            /** @description Why to put it in force although it would have let through what people rejected. */
            accept_risk?: string;
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
        };
        /** @description A question to a policy. */
        PolicyTest: {
            /** @description The policy as an object, or as a text in YAML; left out: the one in force. */
            policy?: Raw | null;
            /** @description What to ask about. */
            subject: components["schemas"]["Subject"];
        };
        /** @description What to try a workflow with. */
        Preview: {
            /** @description The input; left out, an empty object. */
            input?: Raw | null;
            /**
             * Format: int64
             * @description Left out, the published one.
             */
            version?: number;
        };
        /** @description The data that one step would hand to another. */
        PreviewEdge: {
            /** @description What is handed over. */
            data: Raw | null;
            /** @description The step that gives. */
            from: string;
            /** @description The step that gets. */
            to: string;
        };
        /** @description A question that people would be asked. */
        PreviewGate: {
            /** @description The gate that asks. */
            gate: string;
            /** @description Which kind. */
            kind: components["schemas"]["ApprovalKind"];
            /** @description The role whose holders are asked. */
            role: string;
            /** @description The step. */
            step: string;
            /** @description What it is about, in a line. */
            title: string;
        };
        /** @description What a step would get, and a sample of what it gives. */
        PreviewStep: {
            /** @description The id. */
            id: string;
            /** @description What it gets. */
            input: Raw | null;
            /**
             * Format: int64
             * @description The layer of the plan, from 0.
             */
            layer: number;
            /** @description What it gave; null until then. */
            output: Raw | null;
            /** @description done, skipped, failed or pending. */
            status: components["schemas"]["StepStatus"];
        };
        /** @description An error (RFC 9457). Some codes bring further members: already_decided has decided_by, decided_at and act. */
        Problem: {
            /** @description With already_decided: what was done. */
            act?: string;
            /** @description What went wrong, for machines. */
            code: components["schemas"]["ProblemCode"];
            /**
             * Format: date-time
             * @description With already_decided: when.
             */
            decided_at?: string;
            /** @description With already_decided: who decided. */
            decided_by?: string;
            /** @description What went wrong, in words. */
            detail: string;
            /** @description All that is wrong, with paths. */
            errors: components["schemas"]["Fault"][];
            /** @description What to do about it, or empty. */
            hint: string;
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @description The code in words. */
            title: string;
            /** @description A stable relative address that names the code. */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description What went wrong, for machines. Codes never change their meaning.
         * @enum {string}
         */
        ProblemCode: "already_decided" | "conflict" | "forbidden" | "internal" | "invalid" | "not_found" | "rate_limited" | "too_large" | "unauthenticated" | "unavailable" | "unsupported" | "version_mismatch";
        /** @description How far a run is. */
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
             * @description Steps there are.
             */
            total: number;
        };
        /** @description An identity provider. */
        Provider: {
            /** @description What people call it. */
            label: string;
            /** @description Where browsers go to sign in there; return says which page to come back to. */
            url: string;
        };
        /** @description Which version to put in force. */
        Publishing: {
            /**
             * Format: int64
             * @description The number of the version.
             */
            version: number;
        };
        /** @description How many are needed, and how many have agreed. */
        Quorum: {
            /** @description Who is still missing, by role. */
            by_role?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description How many have agreed.
             */
            given: number;
            /**
             * Format: int64
             * @description How many are needed.
             */
            needed: number;
        };
        /** @description A person or a role that an approval can be handed to. */
        Recipient: {
            /** @description person or role. */
            kind: string;
            /** @description What the identity provider calls them; without one, the name. */
            label: string;
            /** @description Their name, or that of the role. */
            name: string;
            /** @description Roles of the person, as far as you may know them. */
            roles: string[];
            /** @description What a decision takes as to: a name, or role:NAME. */
            to: string;
        };
        /** @description To whom you could hand an approval. */
        RecipientList: {
            /** @description The items of this page. */
            items: components["schemas"]["Recipient"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description An answer as it was recorded. */
        RecordedDecision: {
            /** @description What was done. */
            act: components["schemas"]["Act"];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who. */
            by: string;
            /** @description A JSON merge patch (RFC 7396) on what is proposed. */
            changes?: Raw | null;
            /** @description What people said about it. */
            comment?: string;
            /** @description What was submitted, for a gate that wants input. */
            data?: Raw | null;
            /** @description For whom a stand-in answered. */
            on_behalf_of?: string;
            /** @description The option that was chosen. */
            option?: string;
            /** @description What is proposed since then, if this answer changed it. */
            proposed?: Raw | null;
            /** @description Where votes are counted by role: the role whose place this vote took and keeps; * if it took none. */
            role?: string;
            /** @description The roles that are held. */
            roles?: string[];
            /** @description A person such as bob, or a role such as role:manager. */
            to?: string;
            /**
             * Format: int64
             * @description The version that was answered.
             */
            version: number;
        };
        /** @description A comment on an approval. */
        Remark: {
            /** @description The remark. */
            text: string;
        };
        /** @description When, by whom and why what a run held was removed. */
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
        /** @description How a run goes on; without limits as it was. */
        Resume: {
            /** @description The new limits of the agent that stopped the run, not what is added to the old ones. */
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
            /** @description What people said about it. */
            comment: string;
        };
        /** @description How risky it is, with reasons that people can read. */
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
        /** @description A rule of the policy. */
        Rule: {
            /** @description What it does. */
            effect: components["schemas"]["RuleEffect"];
            /** @description False if it is switched off. */
            enabled: boolean;
            /**
             * Format: int64
             * @description How often it may be used; left out if there is no limit.
             */
            max_uses?: number;
            /** @description The name. */
            name: string;
            /** @description Where, as a dotted path or JSON pointer. */
            path: string;
            /**
             * Format: int64
             * @description Smaller is asked first; rules under auto_approval have none.
             */
            priority?: number;
            /** @description The share of the cases, in percent, that it approves now; only where that grows. */
            rollout_now?: number;
            /**
             * Format: int64
             * @description How often it has been used; only where max_uses limits it.
             */
            used?: number;
            /** @description When it holds, in words. */
            when: string;
        };
        /**
         * @description What a rule does.
         * @enum {string}
         */
        RuleEffect: "ask" | "approve" | "deny" | "none";
        /** @description The rule of the policy that asked. */
        RuleName: {
            /**
             * Format: int64
             * @description How often the rule may approve in all; left out, any number.
             */
            max_uses?: number;
            /** @description The name. */
            name: string;
            /** @description The version of the policy: pol_… */
            policy: string;
            /** @description Why, in words. */
            reason?: string;
        };
        /** @description What one rule of a policy would have done. */
        RuleOutcome: {
            /**
             * Format: int64
             * @description How many people were asked about, and would not have been.
             */
            asked_to_auto: number;
            /**
             * Format: int64
             * @description How many went on by themselves, and people would have been asked.
             */
            auto_to_asked: number;
            /** @description What the rule does. */
            effect: components["schemas"]["RuleEffect"];
            /** @description Of people's work. */
            minutes_saved: number;
            /** @description The rule; empty: no rule. */
            rule: string;
            /**
             * Format: int64
             * @description How many it decided.
             */
            subjects: number;
            /**
             * Format: int64
             * @description How many that people changed.
             */
            would_pass_modified: number;
            /**
             * Format: int64
             * @description How many that people rejected.
             */
            would_pass_rejected: number;
        };
        /** @description What one rule said when it was asked. */
        RuleStep: {
            /** @description Whether this rule decides. */
            decides?: boolean;
            /** @description Where, as a dotted path or JSON pointer. */
            path: string;
            /**
             * Format: int64
             * @description Smaller is asked first; none under auto_approval.
             */
            priority?: number;
            /** @description What it said, in words. */
            result: string;
            /** @description The rule. */
            rule: string;
            /** @description When it applies, in words. */
            when: string;
        };
        /** @description A run of a workflow. */
        Run: {
            /** @description Set while a cancelled run waits for the steps at work. */
            cancelling?: components["schemas"]["Cancellation"];
            /** @description Input and outputs merged in plan order. */
            context: Raw | null;
            /**
             * Format: date-time
             * @description When the run wants to be woken by the clock.
             */
            due_at?: string;
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             */
            ended_at: string | null;
            /** @description Why it failed; null if it did not. */
            error: components["schemas"]["Error"] | null;
            /** @description The run whose past it has; null if none. */
            forked_from: string | null;
            /** @description The id. */
            id: string;
            /** @description What it gets. */
            input: Raw | null;
            /** @description Names and values to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What it gave; null until then. */
            output: Raw | null;
            /** @description Who started it. */
            owner: string;
            /** @description The run whose step it works for; null if none. */
            parent: string | null;
            /** @description Why it is paused. */
            pause?: components["schemas"]["Pause"];
            /** @description The ids of the approvals it waits for. */
            pending_approvals: string[];
            /** @description How far it is. */
            progress: components["schemas"]["Progress"];
            /** @description When, by whom and why what people and agents sent was removed, if it was. */
            removed?: components["schemas"]["Removed"];
            /** @description The run that it repeats; null if none. */
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
            /** @description Where it stands. */
            status: components["schemas"]["RunStatus"];
            /** @description The steps. */
            steps: components["schemas"]["Step"][];
            /** @description What it is about, in a line. */
            subject?: string;
            /** @description True if steps with consequences are only rehearsed. */
            test_mode?: boolean;
            /** @description What was said, the newest 200. */
            thread: components["schemas"]["Message"][];
            /** @description What it cost. */
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
        /** @description Runs that started in the span. */
        RunFigures: {
            /** @description By how they stand. */
            by_status: {
                [key: string]: number;
            };
            /** @description US dollars as a decimal. */
            cost_usd: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
        };
        /**
         * @description Where a run stands.
         * @enum {string}
         */
        RunStatus: "running" | "waiting" | "paused" | "completed" | "failed" | "cancelled" | "limit_reached";
        /** @description A run as lists show it. */
        RunSummary: {
            /** @description True while a cancelled run waits for the steps at work. */
            cancelling?: boolean;
            /** @description US dollars as a decimal. */
            cost_usd: string;
            /**
             * Format: date-time
             * @description When the run wants to be woken by the clock.
             */
            due_at?: string;
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             */
            ended_at: string | null;
            /** @description Why it failed, in words; null if it did not. */
            error: string | null;
            /** @description The run whose past it has; null if none. */
            forked_from: string | null;
            /** @description The id. */
            id: string;
            /** @description Names and values to find runs by. */
            labels?: {
                [key: string]: string;
            };
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description Who started it. */
            owner: string;
            /** @description The run whose step it works for; null if none. */
            parent: string | null;
            /**
             * Format: int64
             * @description How many approvals are open.
             */
            pending: number;
            /** @description How far it is. */
            progress: components["schemas"]["Progress"];
            /** @description The run that it repeats; null if none. */
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
            /** @description Where it stands. */
            status: components["schemas"]["RunStatus"];
            /** @description What it is about, in a line. */
            subject?: string;
            /** @description True if it is a test run: figures leave it out. */
            test_mode?: boolean;
            /**
             * Format: date-time
             * @description When something happened last.
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
        /** @description A part of the list of runs. */
        RunSummaryList: {
            /** @description The items of this page. */
            items: components["schemas"]["RunSummary"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description Something that a rule approved and people look at afterwards. */
        Sample: {
            /** @description Id of the approval. */
            approval: string;
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description What the answer is about. */
            proposed: Raw | null;
            /**
             * Format: date-time
             * @description When it was approved.
             */
            requested_at: string;
            /** @description Its review; null until then. */
            review: components["schemas"]["Review"] | null;
            /** @description The rule that approved. */
            rule: string;
            /** @description The run. */
            run: string;
            /** @description The step. */
            step: string;
            /** @description What it is about, in a line. */
            title: string;
            /** @description The workflow. */
            workflow: string;
        };
        /** @description The review to record. */
        SampleReview: {
            /** @description Whether the rule was right. */
            agree: boolean;
            /** @description What people said about it. */
            comment?: string;
        };
        /** @description Samples, and how often people agreed. */
        Samples: {
            /** @description How often people agreed, by rule. */
            accuracy: components["schemas"]["Accuracy"][];
            /** @description The items of this page. */
            items: components["schemas"]["Sample"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description A browser that you are signed in with. */
        Session: {
            /**
             * Format: date-time
             * @description When you signed in.
             */
            created_at: string;
            /** @description True for the one that you ask with. */
            current: boolean;
            /**
             * Format: date-time
             * @description When it ends at the latest.
             */
            expires_at: string;
            /** @description The id. */
            id: string;
            /**
             * Format: date-time
             * @description When it was last used, to the minute.
             */
            seen_at: string;
            /** @description How you signed in. */
            way: components["schemas"]["SignInWay"];
        };
        /** @description Where you are signed in. */
        SessionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Session"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description A name and a password. */
        SignIn: {
            /** @description The name. */
            name: string;
            /** @description The password. */
            password: string;
        };
        /**
         * @description How people sign in.
         * @enum {string}
         */
        SignInWay: "password" | "oidc" | "token" | "jwt" | "console" | "none";
        /** @description How people sign in here. */
        SignInWays: {
            /** @description False if sign-in is not enabled. */
            needed: boolean;
            /** @description The identity provider; null if there is none. */
            oidc: components["schemas"]["Provider"] | null;
            /** @description True if people may sign in with a name and a password. */
            password: boolean;
        };
        /** @description From where to sign out. */
        SignOut: {
            /** @description True to end all of your sessions, not only this one. */
            everywhere?: boolean;
        };
        /** @description What ended. */
        SignedOut: {
            /**
             * Format: int64
             * @description How many sessions ended.
             */
            ended: number;
        };
        /**
         * @description Why a step did not run.
         * @enum {string}
         */
        SkipReason: "if" | "need" | "command" | "rejected";
        /** @description A stand-in. */
        StandIn: {
            /** @description Whether it counts now. */
            counts: boolean;
            /**
             * Format: date-time
             * @description From when on it counts.
             */
            from: string;
            /** @description Who is away. */
            name: string;
            /** @description What people tend not to expect of it, in words. */
            notes: string[];
            /**
             * Format: date-time
             * @description When it was set.
             */
            set_at: string;
            /** @description Who set it. */
            set_by: string;
            /** @description Who decides for them. */
            to: string;
            /**
             * Format: date-time
             * @description Until when it counts; that moment is not part of it.
             */
            until: string;
        };
        /** @description The stand-in to set. */
        StandInChange: {
            /**
             * Format: date-time
             * @description From when on; left out or past, from now on.
             */
            from?: string;
            /** @description Who decides for them: a person. */
            to: string;
            /**
             * Format: date-time
             * @description Until when: a time to come, at most a year after from.
             */
            until: string | null;
        };
        /** @description Who decides for whom. */
        StandInList: {
            /** @description The items of this page. */
            items: components["schemas"]["StandIn"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description A step of a run. */
        Step: {
            /** @description The agent that did or does the work. */
            agent?: string;
            /** @description Set while the step waits for a model that is overloaded or out of order. */
            busy?: components["schemas"]["Busy"];
            /** @description The sub-run at work for it. */
            child?: string;
            /** @description How sure the agent is, from 0 to 1. */
            confidence?: number;
            /**
             * Format: int64
             * @description How long it took; null until it ended.
             */
            duration_ms: number | null;
            /** @description For a map: how far it is. */
            elements?: components["schemas"]["Elements"];
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             */
            ended_at: string | null;
            /** @description Why it failed; null if it did not. */
            error?: components["schemas"]["Error"];
            /** @description What people said about earlier tries, oldest first. */
            guidance?: string[];
            /** @description The id. */
            id: string;
            /** @description True if it was added while the run was going on. */
            injected?: boolean;
            /** @description agent, workflow or human. */
            kind: string;
            /**
             * Format: int64
             * @description The layer of the plan, from 0.
             */
            layer: number;
            /** @description How an agent stands to its limits. */
            limits?: components["schemas"]["Meter"][];
            /** @description What the agent wrote while it worked. */
            logs?: string;
            /** @description The steps it needs. */
            needs: string[];
            /** @description What it gave; null until then. */
            output: Raw | null;
            /** @description What the agent thought. */
            reasoning?: string;
            /**
             * Format: date-time
             * @description When the step, or its model, is tried again; left out unless it waits for that.
             */
            retry_at?: string;
            /**
             * Format: int64
             * @description How often it was sent back.
             */
            revision?: number;
            /** @description Why it did not run. */
            skipped?: components["schemas"]["SkipReason"];
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["StepStatus"];
            /**
             * Format: int64
             * @description Which attempt, from 1.
             */
            try: number;
            /**
             * Format: int64
             * @description How often the model answered.
             */
            turns?: number;
            /** @description What it cost; left out where unknown. */
            usage?: components["schemas"]["Usage"];
            /**
             * Format: int64
             * @description How long it waited for people, also before it started, in milliseconds.
             */
            waited_ms: number | null;
            /**
             * Format: int64
             * @description How long it has worked, without waits for people, in milliseconds; null before it started.
             */
            worked_ms: number | null;
            /** @description The workflow that it runs. */
            workflow?: string;
        };
        /** @description A step with all that happened to it. */
        StepDetail: {
            /** @description The agent that did or does the work. */
            agent?: string;
            /** @description Set while the step waits for a model that is overloaded or out of order. */
            busy?: components["schemas"]["Busy"];
            /** @description Tool calls, the newest 500, oldest first. */
            calls: components["schemas"]["Call"][];
            /** @description The sub-run at work for it. */
            child?: string;
            /** @description How sure the agent is, from 0 to 1. */
            confidence?: number;
            /**
             * Format: int64
             * @description How long it took; null until it ended.
             */
            duration_ms: number | null;
            /** @description For a map: how far it is. */
            elements?: components["schemas"]["Elements"];
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             */
            ended_at: string | null;
            /** @description Why it failed; null if it did not. */
            error?: components["schemas"]["Error"];
            /** @description What people said about earlier tries, oldest first. */
            guidance?: string[];
            /** @description The id. */
            id: string;
            /** @description True if it was added while the run was going on. */
            injected?: boolean;
            /** @description What it works on; null until it starts. */
            input: Raw | null;
            /** @description agent, workflow or human. */
            kind: string;
            /**
             * Format: int64
             * @description The layer of the plan, from 0.
             */
            layer: number;
            /** @description How an agent stands to its limits. */
            limits?: components["schemas"]["Meter"][];
            /** @description What the agent wrote while it worked. */
            logs?: string;
            /** @description Whether values in it are hidden from you: each stands as •••. */
            masked?: boolean;
            /** @description Where they are, as JSON pointers into this; the first 200. */
            masked_paths?: string[];
            /** @description The steps it needs. */
            needs: string[];
            /** @description What it gave; null until then. */
            output: Raw | null;
            /** @description What the agent thought. */
            reasoning?: string;
            /**
             * Format: date-time
             * @description When the step, or its model, is tried again; left out unless it waits for that.
             */
            retry_at?: string;
            /**
             * Format: int64
             * @description How often it was sent back.
             */
            revision?: number;
            /** @description Why it did not run. */
            skipped?: components["schemas"]["SkipReason"];
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["StepStatus"];
            /** @description Attempts, the newest 500, oldest first. */
            tries: components["schemas"]["Try"][];
            /**
             * Format: int64
             * @description Which attempt, from 1.
             */
            try: number;
            /**
             * Format: int64
             * @description How often the model answered.
             */
            turns?: number;
            /** @description What it cost; left out where unknown. */
            usage?: components["schemas"]["Usage"];
            /**
             * Format: int64
             * @description How long it waited for people, also before it started, in milliseconds.
             */
            waited_ms: number | null;
            /**
             * Format: int64
             * @description How long it has worked, without waits for people, in milliseconds; null before it started.
             */
            worked_ms: number | null;
            /** @description The workflow that it runs. */
            workflow?: string;
        };
        /**
         * @description Where a step stands.
         * @enum {string}
         */
        StepStatus: "pending" | "running" | "waiting" | "done" | "failed" | "skipped" | "cancelled";
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
            /** @description Why, in words. */
            reason: string;
        };
        /** @description What a policy is asked about. */
        Subject: {
            /** @description The agent that did or does the work. */
            agent?: string;
            /**
             * Format: date-time
             * @description When; left out, now.
             */
            at?: string;
            /** @description How sure the agent is, from 0 to 1. */
            confidence?: number;
            /** @description What else rules may name: input, outputs of steps. */
            context?: Raw | null;
            /** @description The input of the step, the arguments of the call, or the result. */
            data?: Raw | null;
            /** @description Data of actions with the same operation that were done before and count in sums; fields that are left out are those of data. */
            earlier?: unknown[];
            /** @description Whether it is also for what cannot be undone. */
            irreversible?: boolean;
            /** @description Stands for the same case in rollouts. */
            key?: string;
            /** @description What it is to do. */
            operation?: string;
            /** @description Whether it is a step's result, rather than something about to run. */
            result?: boolean;
            /** @description How risky it is. */
            risk?: components["schemas"]["RiskLevel"];
            /** @description The step. */
            step?: string;
            /** @description The tool that would be called. */
            tool?: string;
            /** @description The workflow. */
            workflow?: string;
        };
        /** @description A rule suggested from past decisions. */
        Suggestion: {
            /**
             * Format: int64
             * @description How many cases it covers.
             */
            covered: number;
            /** @description Cases that people approved as they were; at most 20 are shown. */
            covers: components["schemas"]["Case"][];
            /** @description The id. */
            id: string;
            /** @description Cases that people refused or changed, none of which it lets pass; at most 20 are shown. */
            leaves: components["schemas"]["Case"][];
            /**
             * Format: int64
             * @description How many of those there are.
             */
            left: number;
            /** @description Of people's work, had it been in force. */
            minutes_saved: number;
            /** @description The rule as it would stand in the policy. */
            rule: Raw | null;
            /** @description What speaks for it. */
            why: string;
            /** @description The document as a YAML file. */
            yaml: string;
        };
        /** @description Suggested rules. */
        SuggestionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Suggestion"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description The answer to a command that came by WebSocket. */
        Taken: {
            /** @description Why it was refused. */
            error?: components["schemas"]["Problem"];
            /** @description The id that came with the command. */
            id: Raw | null;
            /** @description Whether it was taken. */
            ok: boolean;
            /**
             * Format: int64
             * @description The number in the run's log.
             */
            seq?: number;
        };
        /**
         * @description What happens on timeout.
         * @enum {string}
         */
        TimeoutAct: "approve" | "reject" | "cancel" | "default" | "pause" | "escalate";
        /** @description What a program says who it is with. */
        Token: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description Who made it. */
            created_by: string;
            /**
             * Format: date-time
             * @description When it ends; null if never.
             */
            expires_at: string | null;
            /** @description The id. */
            id: string;
            /** @description What it acts as. Agents never decide. */
            kind: components["schemas"]["TokenKind"];
            /**
             * Format: date-time
             * @description When it was last used, to the minute; null if never.
             */
            last_used_at: string | null;
            /** @description The name. */
            name: string;
            /** @description The roles that are held. */
            roles: string[];
            /** @description What to send as Authorization: Bearer. It is told once, when the token is made. */
            secret?: string;
        };
        /**
         * @description What a token acts as.
         * @enum {string}
         */
        TokenKind: "person" | "service" | "agent";
        /** @description All tokens. */
        TokenList: {
            /** @description The items of this page. */
            items: components["schemas"]["Token"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description One attempt at a step. */
        Try: {
            /**
             * Format: date-time
             * @description When it ended; null while it goes on.
             */
            ended_at: string | null;
            /** @description Why it failed; null if it did not. */
            error?: components["schemas"]["Error"];
            /**
             * Format: int64
             * @description Which element of a map, from 0.
             */
            index?: number;
            /** @description What the agent wrote. */
            logs?: string;
            /** @description What it gave; null until then. */
            output?: Raw | null;
            /**
             * Format: date-time
             * @description When it was to be tried again.
             */
            retry_at?: string;
            /**
             * Format: int64
             * @description How often the step had been sent back before.
             */
            revision?: number;
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string;
            /**
             * Format: int64
             * @description Which attempt, from 1.
             */
            try: number;
            /**
             * Format: int64
             * @description How often the model answered.
             */
            turns?: number;
        };
        /** @description What it cost. */
        Usage: {
            /**
             * @description US dollars as a decimal.
             * @example 0.0375
             */
            cost_usd?: string;
            /**
             * Format: int64
             * @description Calls of models.
             */
            llm_calls?: number;
            /**
             * Format: int64
             * @description Tokens that models read.
             */
            tokens_in?: number;
            /**
             * Format: int64
             * @description Tokens that models wrote.
             */
            tokens_out?: number;
        };
        /** @description All that is wrong with a document. */
        Validation: {
            /** @description All that is wrong. */
            problems: components["schemas"]["ValidationFault"][];
            /** @description Whether it could be saved. */
            valid: boolean;
            /** @description What may not be meant; it can be saved. */
            warnings: components["schemas"]["ValidationFault"][];
        };
        /** @description One thing wrong at one place of a document. */
        ValidationFault: {
            /**
             * Format: int64
             * @description Where in the line, from 1, if source text is known.
             */
            column?: number;
            /** @description The line and a caret. */
            excerpt?: string;
            /** @description The file, if there is one. */
            file?: string;
            /**
             * Format: int64
             * @description The line, from 1, if source text is known.
             */
            line?: number;
            /** @description What is wrong, in words. */
            message: string;
            /** @description Where, as a dotted path or JSON pointer. */
            path: string;
            /** @description True if it is worth telling but refuses nothing. */
            warning?: boolean;
        };
        /** @description What a policy says about a subject, rule by rule. */
        Verdict: {
            /** @description What it comes to; none: no rule applies. */
            effect: components["schemas"]["RuleEffect"];
            /** @description Hash of the policy that spoke. */
            policy: string;
            /** @description Why, in words. */
            reason: string;
            /** @description The rule that decided. */
            rule: string;
            /** @description What each rule said, in the order in which they were asked. */
            steps: components["schemas"]["RuleStep"][];
        };
        /** @description One saved form of a document. */
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
        /** @description A document that is not the one that was approved before. */
        VersionChange: {
            /** @description The version that was approved: its number, or a digest where there is none; empty if it was not used. */
            from: string;
            /** @description tool, agent, mcp_server, mcp_tool, workflow or builtin. */
            kind: string;
            /** @description The name. */
            name: string;
            /** @description The version that would be used now. */
            to: string;
        };
        /** @description A part of the versions of a document. */
        VersionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Version"][];
            /** @description Where the next page begins; empty at the end. */
            next_cursor: string;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total: number;
            /** @description True if counting stopped at total. */
            total_is_lower_bound?: boolean;
        };
        /** @description What people decided within a certain time. */
        WaitFigures: {
            /**
             * Format: int64
             * @description How many.
             */
            count: number;
            /** @description Less than this many seconds, and not less than the one before; null: any longer. */
            under_s: number | null;
        };
        /** @description Something people should know that stopped nothing. */
        Warning: {
            /** @description What went wrong, for machines. */
            code: string;
            /** @description What is wrong, in words. */
            message: string;
            /** @description Where, as a dotted path or JSON pointer. */
            path?: string;
        };
        /** @description The difference between two versions of a workflow, part by part. */
        WorkflowDiff: {
            /** @description The one version. */
            from: components["schemas"]["Version"];
            /** @description The gates that differ. */
            gates: components["schemas"]["PartDiff"][];
            /** @description Gates, those of human steps included, at which people are no longer asked. */
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
        /** @description How it went with one workflow. */
        WorkflowFigures: {
            /** @description US dollars as a decimal. */
            cost_usd: string;
            /** @description Runs that started, by how they stand. */
            runs: {
                [key: string]: number;
            };
            /** @description The workflow. */
            workflow: string;
        };
        /** @description The data along each edge of a workflow, made of samples. */
        WorkflowPreview: {
            /** @description What steps would hand to each other. */
            edges: components["schemas"]["PreviewEdge"][];
            /** @description Why it would fail; null if it would not. */
            error: components["schemas"]["Error"] | null;
            /** @description What people would be asked. */
            gates: components["schemas"]["PreviewGate"][];
            /** @description What it gave; null until then. */
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
    };
    responses: {
        /** @description Not possible in the current state: already_decided (with decided_by, decided_at and act), version_mismatch, or conflict. */
        Conflict: Raw | null;
        /** @description Permission denied, or the request comes from a page of another site. */
        Forbidden: Raw | null;
        /** @description Internal error; the server log has the details under the X-Request-Id of the response. */
        Internal: Raw | null;
        /** @description Well-formed but not valid; errors lists every problem with its path. */
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
        /** @description Too many requests, or attempts to sign in. Retry-After says when to try again. */
        TooManyRequests: Raw | null;
        /** @description Authentication required; sign_in lists the ways to sign in. */
        Unauthenticated: Raw | null;
        /** @description The server is starting, stopping, or cannot reach its store. Retry-After says when to try again. */
        Unavailable: Raw | null;
        /** @description The media type of the body is not accepted. */
        UnsupportedMediaType: Raw | null;
        /** @description This endpoint requires a WebSocket. */
        UpgradeRequired: Raw | null;
    };
    parameters: {
        /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
        IdempotencyKey: string;
        /** @description The ETag of the approval you saw, instead of version in the body. */
        IfMatch: string;
        /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
        IfNoneMatch: string;
        /** @description The number of the last event you have; the stream goes on behind it. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
    listAgents: {
        parameters: {
            query?: {
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description Publish although published workflows or agents would no longer be valid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAgentVersions: {
        parameters: {
            query?: {
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description Only approvals with this status; repeatable. With commas between them, or given several times. */
                status?: ("pending" | "approved" | "modified" | "rejected" | "chosen" | "submitted" | "revision_requested" | "timed_out" | "cancelled" | "auto_approved")[];
                /** @description Only approvals that this role can decide, and those that anyone can. With commas between them, or given several times. */
                role?: string[];
                /** @description Only what you may answer: pending approvals whose acts are not empty for you, and settled ones that asked you by name, by one of your roles or one that you may act as, or asked someone you stand in for. total counts up to 1,000 and is a lower bound beyond that. */
                mine?: boolean;
                /** @description Only approvals of this workflow's runs. */
                workflow?: string;
                /** @description Only about this agent's work. */
                agent?: string;
                /** @description Only of this level of risk. */
                risk?: "low" | "medium" | "high" | "critical";
                /** @description Only of this kind. */
                kind?: "approval" | "choice" | "input" | "escalation";
                /** @description Only of this run. */
                run?: string;
                /** @description Only about calls of this tool. */
                tool?: string;
                /** @description Instead of approvals, results that went on with a confidence from the threshold (0.7 unless set) to under 0.9, newest first. Test runs are left out. Nothing is to decide: acts is empty, reason is review_suggested, and the result is at that step of the run. Goes with workflow, agent, run and q. */
                review?: "suggested";
                /** @description Only approvals with all these words, or words that begin with them, in title, subject, workflow, step, agent, tool, people or id. */
                q?: string;
                /** @description Pending approvals only, with one row for those that a run asks alike: alike says how many and which. What stands out by an amount or a value has a row of its own. Up to 1,000 approvals are grouped per page, whatever limit says; total counts approvals. */
                group?: "alike";
                /** @description The order: most urgent, oldest, soonest deadline, newest or last settled first. Most urgent (`priority`) goes by the deadline, or by the time of the request if there is none: earlier the riskier it is, and much earlier if a timeout approves, rejects or cancels. */
                sort?: "priority" | "age" | "deadline" | "newest" | "settled";
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Show values over 64 KiB whole instead of a reference with a preview. */
                full?: boolean;
            };
            header?: {
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description Who; left out, you. */
                user?: string;
                /** @description Their roles; left out, those of their account. With commas between them, or given several times. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description How many items to answer with at most. */
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
                /** @description Only what a person or a program of this name did; service:nightly means the name nightly, as in a run's owner. */
                actor?: string;
                /** @description Only this action, such as approval.decided. */
                action?: string;
                /** @description Only entries about this id; for a run, everything that belongs to it. */
                target?: string;
                /** @description Only what was done, or what was refused. */
                outcome?: "done" | "refused";
                /** @description Only from then on: a duration such as 30d, or a time. */
                since?: string;
                /** @description Only before: a duration such as 1h, or a time. */
                until?: string;
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description Only what a person or a program of this name did; service:nightly means the name nightly, as in a run's owner. */
                actor?: string;
                /** @description Only this action, such as approval.decided. */
                action?: string;
                /** @description Only entries about this id; for a run, everything that belongs to it. */
                target?: string;
                /** @description Only what was done, or what was refused. */
                outcome?: "done" | "refused";
                /** @description Only from then on: a duration such as 30d, or a time. */
                since?: string;
                /** @description Only before: a duration such as 1h, or a time. */
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
                /** @description The entry at which the later head ends; the newest if left out. */
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
    listDeliverables: {
        parameters: {
            query?: {
                /** @description Only those of this run. */
                run?: string;
                /** @description Only those that this agent made. */
                agent?: string;
                /** @description Only those of this type. */
                type?: "document" | "code" | "data" | "media" | "other";
                /** @description Only those with this status. */
                status?: "draft" | "final" | "archived";
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The part that was asked for. */
            206: {
                headers: {
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description Begin behind this number of the feed; 0 is the beginning. Left out, the stream begins now. */
                after?: number;
                /** @description Only events of this run. */
                run?: string;
                /** @description Only events of these types. With commas between them, or given several times. */
                types?: ("agent.handed_off" | "agent.message" | "approval.auto_approved" | "approval.commented" | "approval.decided" | "approval.escalated" | "approval.needed" | "approval.paused" | "approval.reminder" | "approval.resolved" | "approval.timed_out" | "call.args_changed" | "call.completed" | "call.input_needed" | "call.rebound" | "call.requested" | "call.retrying" | "call.started" | "child.ended" | "child.waiting" | "consult.answered" | "consult.started" | "definition.changed" | "deliverable.created" | "deliverable.marked" | "element.completed" | "gate.passed" | "layer.started" | "limit.granted" | "limit.raised" | "limit.warning" | "message.added" | "note.added" | "payloads.removed" | "plan.changed" | "point.passed" | "policy.changed" | "replan.answered" | "replan.requested" | "review.suggested" | "run.cancelled" | "run.cancelling" | "run.completed" | "run.failed" | "run.forked" | "run.limit_reached" | "run.paused" | "run.reopened" | "run.resumed" | "run.started" | "run.unpaused" | "run.waiting" | "snapshot.saved" | "state.updated" | "step.args_changed" | "step.completed" | "step.expanded" | "step.failed" | "step.rebound" | "step.retrying" | "step.returned" | "step.revised" | "step.skipped" | "step.started" | "turn.completed" | "turn.retrying" | "turn.started" | "warning.raised")[];
                /** @description Show values over 64 KiB whole instead of a reference with a preview. */
                full?: boolean;
                /** @description Include progress of agents (step.progress): it has no number and is not stored. */
                progress?: boolean;
            };
            header?: {
                /** @description The number of the last event you have; the stream goes on behind it. */
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
    getInsights: {
        parameters: {
            query?: {
                /** @description How far back: a duration such as 30d, or a time. */
                since?: string;
                /** @description Until when: a duration back from now, or a time; left out, now. */
                until?: string;
                /** @description Only of this workflow. */
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
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description Only keep it; what is in force stays. */
                draft?: boolean;
                /** @description Why to put it in force although it would have let through what people rejected. */
                accept_risk?: string;
            };
            header?: {
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description The other version; the one in force if left out. */
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
    listRuns: {
        parameters: {
            query?: {
                /** @description Only runs that stand so; several are possible. With commas between them, or given several times. */
                status?: ("running" | "waiting" | "paused" | "completed" | "failed" | "cancelled" | "limit_reached")[];
                /** @description Only runs of this workflow. */
                workflow?: string;
                /** @description Only runs that this person started. */
                owner?: string;
                /** @description Only sub-runs of this run. */
                parent?: string;
                /** @description Only runs with all these words, or words that begin with them, in subject, workflow, owner, labels, error or id. */
                q?: string;
                /** @description Only runs with this label, as name:value; given several times, all must fit. */
                label?: string[];
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Show values over 64 KiB whole instead of a reference with a preview. */
                full?: boolean;
            };
            header?: {
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Only events behind this sequence number. */
                after?: number;
                /** @description Show values over 64 KiB whole instead of a reference with a preview. */
                full?: boolean;
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
    getRunState: {
        parameters: {
            query?: {
                /** @description The sequence number of the event; left out, the newest. */
                at_seq?: number;
                /** @description Show values over 64 KiB whole instead of a reference with a preview. */
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
                /** @description The sequence number of the event; left out, the newest. */
                at_seq?: number;
                /** @description Show values over 64 KiB whole instead of a reference with a preview. */
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
    search: {
        parameters: {
            query?: {
                /** @description What to look for, at most 200 bytes. Without a word nothing is found. */
                q?: string;
                /** @description How many of each kind to answer with at most. */
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
                /** @description The page of this server to come back to; anything else means the first page. */
                return?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Go on there. */
            303: {
                headers: {
                    /** @description Where to. */
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
                /** @description What the provider gave. */
                code?: string;
                /** @description What it was given. */
                state?: string;
                /** @description Who it is. */
                iss?: string;
                /** @description What went wrong there. */
                error?: string;
                /** @description The same in words; it is not repeated. */
                error_description?: string;
                /** @description A page about it; it is not followed. */
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
            /** @description Go on there. */
            303: {
                headers: {
                    /** @description Where to. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description Only tools whose name or description contains all these words. */
                q?: string;
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
    listWorkflows: {
        parameters: {
            query?: {
                /** @description Only versions in force, or only drafts. */
                status?: "published" | "draft";
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
                /** @description Put the new version in force at once. */
                publish?: boolean;
                /** @description Publish although published workflows or agents would no longer be valid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description The version to compare with; the published one if left out. */
                from?: number;
                /** @description The other version; the newest if left out. */
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
                /** @description Publish although published workflows or agents would no longer be valid; otherwise that is a 409 that names them. */
                force?: boolean;
            };
            header?: {
                /** @description Names one attempt: the same key with the same request gives the same answer, also after a restart; with another request 409. Kept for a week, per person and path. */
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
                /** @description How many items to answer with at most. */
                limit?: number;
                /** @description Where to go on: the next_cursor of the page before. */
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
                /** @description An ETag you have: if nothing changed the answer is 304 without a body. */
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
                    /** @description Names what is answered; see If-None-Match. */
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
    openSocket: {
        parameters: {
            query?: {
                /** @description Begin behind this number of the feed; 0 is the beginning. Left out, the stream begins now. */
                after?: number;
                /** @description Only events of this run. */
                run?: string;
                /** @description Only events of these types. With commas between them, or given several times. */
                types?: ("agent.handed_off" | "agent.message" | "approval.auto_approved" | "approval.commented" | "approval.decided" | "approval.escalated" | "approval.needed" | "approval.paused" | "approval.reminder" | "approval.resolved" | "approval.timed_out" | "call.args_changed" | "call.completed" | "call.input_needed" | "call.rebound" | "call.requested" | "call.retrying" | "call.started" | "child.ended" | "child.waiting" | "consult.answered" | "consult.started" | "definition.changed" | "deliverable.created" | "deliverable.marked" | "element.completed" | "gate.passed" | "layer.started" | "limit.granted" | "limit.raised" | "limit.warning" | "message.added" | "note.added" | "payloads.removed" | "plan.changed" | "point.passed" | "policy.changed" | "replan.answered" | "replan.requested" | "review.suggested" | "run.cancelled" | "run.cancelling" | "run.completed" | "run.failed" | "run.forked" | "run.limit_reached" | "run.paused" | "run.reopened" | "run.resumed" | "run.started" | "run.unpaused" | "run.waiting" | "snapshot.saved" | "state.updated" | "step.args_changed" | "step.completed" | "step.expanded" | "step.failed" | "step.rebound" | "step.retrying" | "step.returned" | "step.revised" | "step.skipped" | "step.started" | "turn.completed" | "turn.retrying" | "turn.started" | "warning.raised")[];
                /** @description Show values over 64 KiB whole instead of a reference with a preview. */
                full?: boolean;
                /** @description Include progress of agents (step.progress): it has no number and is not stored. */
                progress?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection speaks WebSocket from now on. */
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
