BEGIN TRANSACTION;
CREATE TABLE attempt (
	id INTEGER NOT NULL, 
	student VARCHAR NOT NULL, 
	exercise VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	time VARCHAR, 
	arrival JSON, 
	secret BLOB, 
	told VARCHAR, 
	shown BOOLEAN, 
	PRIMARY KEY (id)
);
INSERT INTO "attempt" VALUES(1,'ann','01_small','13f386cc811542d7342a176380fa991e241fa62e1ab7950400360b0f3bf5d048','2026-03-01 14:00:00.000000 UTC','{}',X'','2026-03-01T15:00:00+00:00',1);
INSERT INTO "attempt" VALUES(2,'ann','01_small','fe058a604754eff0220ff8ae2fafb115e7f9c8308b470b5358e2e5a935184499','2026-03-01 16:00:00.000000 UTC','{}',X'',NULL,NULL);
INSERT INTO "attempt" VALUES(3,'ben','01_small','13f386cc811542d7342a176380fa991e241fa62e1ab7950400360b0f3bf5d048','2026-03-01 14:00:00.000000 UTC','{}',X'',NULL,NULL);
INSERT INTO "attempt" VALUES(4,'ben','01_small','fe058a604754eff0220ff8ae2fafb115e7f9c8308b470b5358e2e5a935184499','2026-03-01 16:00:00.000000 UTC','{}',X'',NULL,NULL);
INSERT INTO "attempt" VALUES(5,'cleo','01_small','86fe718d5a9531f64d9c2990b175ab8885fddfed9819bb52296197ce7d50be1b','','{"time": "nobody", "upload": 7, "downloaded": "2026-03-01T17:00:00Z", "number": "4711", "form": ".ipynb", "late": true}',X'736563726574206F6620636C656F',NULL,NULL);
INSERT INTO "attempt" VALUES(6,'dan','01_small','b92442da9a5fcbf3306b562c3e422e1e520ada90b3eabcb3316ff04456b8c063','2026-03-01 14:00:00.000000 UTC','{"time": "told"}',X'',NULL,NULL);
INSERT INTO "attempt" VALUES(7,'dan','01_small','31f810cc5ffdd9568802f511e80b6eb3e04ba43349ab434bba25e59dccb48af9','2026-03-01 15:00:00.000000 UTC','{"time": "told"}',X'',NULL,NULL);
INSERT INTO "attempt" VALUES(8,'dan','01_small','b92442da9a5fcbf3306b562c3e422e1e520ada90b3eabcb3316ff04456b8c063','2026-03-01 18:00:00.000000 UTC','{"time": "told"}',X'',NULL,NULL);
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	time VARCHAR NOT NULL, 
	"by" VARCHAR, 
	student VARCHAR NOT NULL, 
	exercise VARCHAR NOT NULL, 
	why VARCHAR NOT NULL, 
	"before" FLOAT, 
	score FLOAT, 
	penalty FLOAT, 
	questions JSON, 
	digests JSON, 
	saved VARCHAR NOT NULL, 
	pending BOOLEAN NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'2026-11-28T11:18:29+00:00',NULL,'ann','01_small','new',NULL,5.0,0.0,'{"double": [2.0, null, null], "row_sums": [3.0, null, null], "why": [null, null, null]}','{"notebook": "13f386cc811542d7342a176380fa991e241fa62e1ab7950400360b0f3bf5d048", "source": "0224fde9dbe870c0f84f9f52417ed5bfc7f2d35cc76a1e9848ca834150a354dc", "suite": "ed39482ec70f3657ed4dc3e99652006e454185ee279ab05e77d8b4164a85a005", "settings": "8e8dd3d3532e4a5fc7179b03e5df1152edcec9b1d074b76bcaabb03ea5e784ef", "inputs": "2f287b4d3d4910f6cada9e1bd1b4648099e8c52c81aa4a6aebfa6fc86f19834e", "engine": "13a567125841189743bfc7d78b83f0cae474d56fb3cda093e72dfb3c352fdd5d", "environment": "3.11.7"}','2026-11-28T11:18:29.942414+00:00',0);
INSERT INTO "audit" VALUES(2,'2026-11-28T11:18:30+00:00',NULL,'ben','01_small','new',NULL,5.0,0.0,'{"double": [2.0, null, null], "row_sums": [3.0, null, null], "why": [null, null, null]}','{"notebook": "13f386cc811542d7342a176380fa991e241fa62e1ab7950400360b0f3bf5d048", "source": "0224fde9dbe870c0f84f9f52417ed5bfc7f2d35cc76a1e9848ca834150a354dc", "suite": "ed39482ec70f3657ed4dc3e99652006e454185ee279ab05e77d8b4164a85a005", "settings": "8e8dd3d3532e4a5fc7179b03e5df1152edcec9b1d074b76bcaabb03ea5e784ef", "inputs": "2f287b4d3d4910f6cada9e1bd1b4648099e8c52c81aa4a6aebfa6fc86f19834e", "engine": "13a567125841189743bfc7d78b83f0cae474d56fb3cda093e72dfb3c352fdd5d", "environment": "3.11.7"}','2026-11-28T11:18:30.294506+00:00',0);
INSERT INTO "audit" VALUES(3,'2026-11-28T11:18:30+00:00',NULL,'cleo','01_small','new',NULL,4.0,0.0,'{"double": [1.6, null, null], "row_sums": [2.4000000000000004, null, null], "why": [null, null, null]}','{"notebook": "86fe718d5a9531f64d9c2990b175ab8885fddfed9819bb52296197ce7d50be1b", "source": "0224fde9dbe870c0f84f9f52417ed5bfc7f2d35cc76a1e9848ca834150a354dc", "suite": "ed39482ec70f3657ed4dc3e99652006e454185ee279ab05e77d8b4164a85a005", "settings": "8e8dd3d3532e4a5fc7179b03e5df1152edcec9b1d074b76bcaabb03ea5e784ef", "inputs": "2f287b4d3d4910f6cada9e1bd1b4648099e8c52c81aa4a6aebfa6fc86f19834e", "engine": "13a567125841189743bfc7d78b83f0cae474d56fb3cda093e72dfb3c352fdd5d", "environment": "3.11.7"}','2026-11-28T11:18:30.666514+00:00',0);
INSERT INTO "audit" VALUES(4,'2026-11-28T11:18:30+00:00',NULL,'dan','01_small','new',NULL,3.0,0.0,'{"double": [1.2, null, null], "row_sums": [1.7999999999999998, null, null], "why": [null, null, null]}','{"notebook": "31f810cc5ffdd9568802f511e80b6eb3e04ba43349ab434bba25e59dccb48af9", "source": "0224fde9dbe870c0f84f9f52417ed5bfc7f2d35cc76a1e9848ca834150a354dc", "suite": "ed39482ec70f3657ed4dc3e99652006e454185ee279ab05e77d8b4164a85a005", "settings": "8e8dd3d3532e4a5fc7179b03e5df1152edcec9b1d074b76bcaabb03ea5e784ef", "inputs": "2f287b4d3d4910f6cada9e1bd1b4648099e8c52c81aa4a6aebfa6fc86f19834e", "engine": "13a567125841189743bfc7d78b83f0cae474d56fb3cda093e72dfb3c352fdd5d", "environment": "3.11.7"}','2026-11-28T11:18:30.946510+00:00',0);
INSERT INTO "audit" VALUES(5,'2026-11-28T11:18:31.119769+00:00','uma','ann','01_small','by hand',5.0,6.5,0.0,'{"double": [2.0, null, null], "row_sums": [3.0, null, null], "why": [null, 1.5, null]}','{"notebook": "13f386cc811542d7342a176380fa991e241fa62e1ab7950400360b0f3bf5d048", "source": "0224fde9dbe870c0f84f9f52417ed5bfc7f2d35cc76a1e9848ca834150a354dc", "suite": "ed39482ec70f3657ed4dc3e99652006e454185ee279ab05e77d8b4164a85a005", "settings": "8e8dd3d3532e4a5fc7179b03e5df1152edcec9b1d074b76bcaabb03ea5e784ef", "inputs": "2f287b4d3d4910f6cada9e1bd1b4648099e8c52c81aa4a6aebfa6fc86f19834e", "engine": "13a567125841189743bfc7d78b83f0cae474d56fb3cda093e72dfb3c352fdd5d", "environment": "3.11.7"}','2026-11-28T11:18:31.119769+00:00',0);
CREATE TABLE export (
	id INTEGER NOT NULL, 
	time VARCHAR NOT NULL, 
	"to" VARCHAR NOT NULL, 
	exercise VARCHAR NOT NULL, 
	student VARCHAR NOT NULL, 
	value JSON, 
	PRIMARY KEY (id)
);
INSERT INTO "export" VALUES(1,'2026-11-28T11:18:33+00:00','tables','01_small','ann',6.5);
INSERT INTO "export" VALUES(2,'2026-11-28T11:18:33+00:00','tables','01_small','ben',4.75);
INSERT INTO "export" VALUES(3,'2026-11-28T11:18:33+00:00','tables','01_small','cleo',4);
INSERT INTO "export" VALUES(4,'2026-11-28T11:18:33+00:00','tables','01_small','dan',3);
CREATE TABLE report (
	student VARCHAR NOT NULL, 
	exercise VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	report VARCHAR NOT NULL, 
	PRIMARY KEY (student, exercise, digest)
);
INSERT INTO "report" VALUES('ann','01_small','fe058a604754eff0220ff8ae2fafb115e7f9c8308b470b5358e2e5a935184499','8d2e2cf699ede98a08d580ec9cd87ebd1f70e5b0a5d5140aedfd6b745f3d225e','{"exercise": "01_small", "status": "graded", "message": "", "score": 2.0, "max_score": 5.0, "sandbox": [], "questions": [{"name": "double", "verdict": "passed", "score": 0.8, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "row_sums", "verdict": "passed", "score": 1.2000000000000002, "max_score": 3.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "why", "verdict": "ungraded", "score": null, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}]}');
INSERT INTO "report" VALUES('ben','01_small','fe058a604754eff0220ff8ae2fafb115e7f9c8308b470b5358e2e5a935184499','8d2e2cf699ede98a08d580ec9cd87ebd1f70e5b0a5d5140aedfd6b745f3d225e','{"exercise": "01_small", "status": "graded", "message": "", "score": 2.0, "max_score": 5.0, "sandbox": [], "questions": [{"name": "double", "verdict": "passed", "score": 0.8, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "row_sums", "verdict": "passed", "score": 1.2000000000000002, "max_score": 3.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "why", "verdict": "ungraded", "score": null, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}]}');
INSERT INTO "report" VALUES('dan','01_small','b92442da9a5fcbf3306b562c3e422e1e520ada90b3eabcb3316ff04456b8c063','8db71d54d9071a704d1a973e2959002512e1819fe27a8fcc54910a328443be95','{"exercise": "01_small", "status": "graded", "message": "", "score": 1.0, "max_score": 5.0, "sandbox": [], "questions": [{"name": "double", "verdict": "passed", "score": 0.4, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "row_sums", "verdict": "passed", "score": 0.6000000000000001, "max_score": 3.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "why", "verdict": "ungraded", "score": null, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}]}');
INSERT INTO "report" VALUES('ann','01_small','13f386cc811542d7342a176380fa991e241fa62e1ab7950400360b0f3bf5d048','4148bc4a4a59e6700a77ddd8f247fe76988a80d7cad25de735301c412b99fbb0','{"exercise": "01_small", "status": "graded", "message": "", "score": 5.0, "max_score": 5.0, "sandbox": [], "questions": [{"name": "double", "verdict": "passed", "score": 2.0, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "row_sums", "verdict": "passed", "score": 3.0, "max_score": 3.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "why", "verdict": "ungraded", "score": null, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}]}');
INSERT INTO "report" VALUES('ben','01_small','13f386cc811542d7342a176380fa991e241fa62e1ab7950400360b0f3bf5d048','4148bc4a4a59e6700a77ddd8f247fe76988a80d7cad25de735301c412b99fbb0','{"exercise": "01_small", "status": "graded", "message": "", "score": 5.0, "max_score": 5.0, "sandbox": [], "questions": [{"name": "double", "verdict": "passed", "score": 2.0, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "row_sums", "verdict": "passed", "score": 3.0, "max_score": 3.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "why", "verdict": "ungraded", "score": null, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}]}');
INSERT INTO "report" VALUES('cleo','01_small','86fe718d5a9531f64d9c2990b175ab8885fddfed9819bb52296197ce7d50be1b','cbb069fc263fa82809a932059db028c203126c29ecfa2bb2879c8fa631f11aec','{"exercise": "01_small", "status": "graded", "message": "", "score": 4.0, "max_score": 5.0, "sandbox": [], "questions": [{"name": "double", "verdict": "passed", "score": 1.6, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "row_sums", "verdict": "passed", "score": 2.4000000000000004, "max_score": 3.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "why", "verdict": "ungraded", "score": null, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}]}');
INSERT INTO "report" VALUES('dan','01_small','31f810cc5ffdd9568802f511e80b6eb3e04ba43349ab434bba25e59dccb48af9','858733bb0d2b6828d710a3ba5536f91f9d8c95600ee22c2a5828a70dfb1ee223','{"exercise": "01_small", "status": "graded", "message": "", "score": 3.0, "max_score": 5.0, "sandbox": [], "questions": [{"name": "double", "verdict": "passed", "score": 1.2, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "row_sums", "verdict": "passed", "score": 1.7999999999999998, "max_score": 3.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}, {"name": "why", "verdict": "ungraded", "score": null, "max_score": 2.0, "hint": "", "mistake": null, "tests": [], "shown": null, "place": null}]}');
CREATE TABLE request (
	id INTEGER NOT NULL, 
	time VARCHAR NOT NULL, 
	student VARCHAR NOT NULL, 
	exercise VARCHAR NOT NULL, 
	question VARCHAR NOT NULL, 
	asked_as VARCHAR NOT NULL, 
	digest VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "request" VALUES(1,'2026-11-28T11:18:32+00:00','ann','01_small','why','ann','b2676578caa738aa8d750c9127b137826986b6279e354008b7ae91463af2c209');
CREATE INDEX attempt_of ON attempt (student, exercise);
CREATE INDEX audit_of ON audit (exercise, student);
COMMIT;
